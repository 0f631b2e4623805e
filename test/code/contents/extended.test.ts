import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CORE_LIMITS } from '../../../src/base/core/limits.ts';
import { startForge } from '../../support/forge/forge.ts';
import { commitAll, git } from '../../support/git/git.ts';
import { base64, contentsOf, pushedRepository, writeFiles } from './files.ts';

// Runs once: no outcome depends on the database.

const REPO = '/api/v1/repos/ada/engine';
const OID = 'ab12'.repeat(16);
const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${OID}\nsize 12345\n`;
const paddedTo = (bytes: number) => POINTER + 'x'.repeat(bytes - POINTER.length);

async function startEngine(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, commit, push } = await pushedRepository(t, ada, 'engine', {
    'docs/a.md': 'a',
    'docs/b.md': 'b',
    pointer: POINTER,
    'pointer-1024': paddedTo(1024),
    'pointer-1025': paddedTo(1025),
  });
  await symlink('docs/a.md', join(folder, 'link'));
  await git(folder, ['update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},lib`]);
  await git(folder, ['add', 'link']);
  await git(folder, ['commit', '-qm', 'Second\n\nBody', '--date', '2026-01-02T03:04:05Z']);
  const second = await git(folder, ['rev-parse', 'HEAD']);
  await push('main');
  const ext = (path: string, includes = '') => forge.get(`${REPO}/contents-ext/${path}?includes=${includes}`);
  return { forge, ada, folder, first: commit, second, push, ext };
}

const EXTRA = [
  'last_commit_sha',
  'last_commit_when',
  'last_committer_date',
  'last_author_date',
  'last_commit_message',
  'lfs_oid',
  'lfs_size',
];

/** Returns the fields of an entry that only some requests ask for. */
function extrasOf(entry: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => EXTRA.includes(key)));
}

test('contents-ext returns a file or a folder, without the details that are not asked for', async (t) => {
  const { forge, ext } = await startEngine(t);
  const whole = (await forge.get(contentsOf('ada/engine', 'docs/a.md'))).body;

  const { status, body: file } = await ext('docs/a.md');
  const { body: folder } = await ext('docs');
  const { body: root } = await ext('.');

  assert.equal(status, 200);
  assert.deepEqual(Object.keys(file), ['file_contents']);
  const { last_commit_sha: _sha, last_commit_when: _when, ...plain } = whole;
  assert.deepEqual(file.file_contents, { ...plain, content: null, encoding: null });
  assert.deepEqual(Object.keys(folder), ['dir_contents']);
  assert.deepEqual(folder.dir_contents[0], file.file_contents);
  assert.deepEqual(
    root.dir_contents.map((each: { path: string }) => each.path),
    ['docs', 'lib', 'link', 'pointer', 'pointer-1024', 'pointer-1025'],
  );
  for (const entry of root.dir_contents) assert.deepEqual(extrasOf(entry), {}, entry.path);
  for (const path of ['', '/']) assert.deepEqual((await ext(path)).body, root);
  assert.deepEqual((await forge.get(`${REPO}/contents-ext`)).body, root);
});

test('contents-ext includes the content of a single file, and the last commit of every entry', async (t) => {
  const { first, second, ext } = await startEngine(t);

  const { file_contents: file } = (await ext('docs/a.md', 'file_content,commit_message')).body;
  const { dir_contents: root } = (await ext('.', 'file_content,commit_metadata,commit_message,')).body;
  const { file_contents: link } = (await ext('link', 'commit_metadata,file_content')).body;

  assert.deepEqual([file.content, file.encoding], [base64('a'), 'base64']);
  assert.deepEqual(extrasOf(file), { last_commit_message: 'Begin\n' });
  assert.equal(link.last_author_date, '2026-01-02T03:04:05Z');
  assert.equal(link.content, null);
  for (const entry of root) {
    const isSecond = entry.path === 'link' || entry.path === 'lib';
    assert.equal(entry.last_commit_sha, isSecond ? second : first, entry.path);
    assert.equal(entry.last_commit_message, isSecond ? 'Second\n\nBody\n' : 'Begin\n');
    assert.equal(entry.last_commit_when, entry.last_committer_date);
    assert.equal(entry.content, null, 'only single files have content');
  }
});

test('contents-ext includes the LFS object of a pointer, which has at most 1024 bytes', async (t) => {
  const { forge, folder, push, ext } = await startEngine(t);
  const lines = POINTER.split('\n');
  await writeFiles(folder, {
    'bad/version': POINTER.replace('/v1', '/v2'),
    'bad/upper': POINTER.replace(OID, OID.toUpperCase()),
    'bad/short': POINTER.replace(OID, OID.slice(1)),
    'bad/sign': POINTER.replace('12345', '-1'),
    'bad/huge': POINTER.replace('12345', '9'.repeat(16)),
    'bad/order': [lines[0], lines[2], lines[1], ''].join('\n'),
    'bad/before': ` ${POINTER}`,
    'bad/two': lines.slice(0, 2).join('\n'),
  });
  await commitAll(folder, 'Not pointers');
  await push('main');
  const expected = { lfs_oid: OID, lfs_size: 12345 };

  const { dir_contents: root } = (await ext('.', 'lfs_metadata')).body;
  const found = Object.fromEntries(root.map((each: Record<string, unknown>) => [each.path, extrasOf(each)]));
  assert.deepEqual([found.pointer, found['pointer-1024'], found['pointer-1025']], [expected, expected, {}]);
  assert.deepEqual(extrasOf((await ext('pointer', 'lfs_metadata')).body.file_contents), expected);
  for (const entry of (await ext('bad', 'lfs_metadata')).body.dir_contents)
    assert.deepEqual(extrasOf(entry), {}, entry.path);
  // Without a stored object, media returns the pointer itself.
  for (const [path, text] of [
    ['pointer', POINTER],
    ['pointer-1024', paddedTo(1024)],
    ['pointer-1025', paddedTo(1025)],
  ] as const) {
    const [media, raw] = [await forge.get(`${REPO}/media/${path}`), await forge.get(`${REPO}/raw/${path}`)];
    assert.equal(media.text, text);
    for (const name of [
      'etag',
      'last-modified',
      'content-type',
      'x-gitea-object-type',
      'x-forgejo-object-type',
    ])
      assert.equal(media.headers.get(name), raw.headers.get(name), name);
  }
});

test('contents-ext rejects unknown details, paths and refs', async (t) => {
  const { forge, ada, ext } = await startEngine(t);
  await ada.repository('empty');

  assert.deepEqual(
    [(await ext('docs', 'nope')).status, (await ext('docs', 'nope')).body.message],
    [400, 'unknown include option "nope"'],
  );
  for (const path of ['no', 'docs/a.md/x', 'docs//a.md', '..'])
    assert.equal((await ext(path)).status, 404, path);
  assert.equal((await forge.get(`${REPO}/contents-ext/docs?ref=no`)).status, 404);
  assert.deepEqual((await forge.get('/api/v1/repos/ada/empty/contents-ext')).body, { dir_contents: [] });
  assert.equal((await forge.get('/api/v1/repos/ada/empty/contents-ext/a')).status, 404);
});

test('file-contents returns several files in their order, and null for paths without one', async (t) => {
  const { forge, ada, first } = await startEngine(t);
  const files = ['docs/b.md', 'no', 'docs', 'link', '/docs/a.md/', 'docs/b.md', '', '..', 'lib'];
  const query = new URLSearchParams({ body: JSON.stringify({ files }), ref: 'main' });

  const got = await forge.get(`${REPO}/file-contents?${query}`);
  const posted = await ada.post(`${REPO}/file-contents?ref=refs/heads/main`, { files });

  assert.deepEqual([got.status, posted.status], [200, 200]);
  assert.deepEqual(
    got.body.map((each: { path: string } | null) => each?.path ?? null),
    ['docs/b.md', null, null, 'link', 'docs/a.md', 'docs/b.md', null, null, 'lib'],
  );
  const alone = (await forge.get(`${contentsOf('ada/engine', 'docs/b.md')}?ref=main`)).body;
  assert.deepEqual(got.body[0], alone);
  assert.equal(alone.last_commit_sha, first);
  assert.deepEqual(
    posted.body.map((each: { sha: string } | null) => each?.sha),
    got.body.map((each: { sha: string } | null) => each?.sha),
  );
});

test('file-contents is bounded in number and bytes', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const large = Buffer.alloc(6 * 1024 * 1024, 'x');
  await pushedRepository(t, ada, 'engine', { one: large, two: large, small: 's' });
  const many = Array.from({ length: 100 }, () => 'small');

  const page = await ada.post(`${REPO}/file-contents`, { files: many });
  const { body } = await ada.post(`${REPO}/file-contents`, { files: ['one', 'two', 'small'] });

  assert.equal(page.body.length, CORE_LIMITS.pageItemsDefault);
  assert.deepEqual(
    body.map((each: { size: number; encoding: string | null; content: string | null }) => [
      each.size,
      each.encoding,
      each.content?.length ?? null,
    ]),
    [
      [large.length, 'base64', (large.length / 3) * 4],
      [large.length, null, null],
      [1, 'base64', 4],
    ],
    'a file that exceeds the limit has no content',
  );
});

test('file-contents rejects other bodies, unknown refs and empty repositories', async (t) => {
  const { forge, ada } = await startEngine(t);
  await ada.repository('empty');
  const get = (body: string) => forge.get(`${REPO}/file-contents?body=${encodeURIComponent(body)}`);

  for (const body of ['', '{', 'null', '[]', '{}', '{"files":"a"}', '{"files":[1]}', '1'])
    assert.equal((await get(body)).status, 400, body);
  for (const json of [{}, { files: 'a' }, { files: [1] }])
    assert.equal((await ada.post(`${REPO}/file-contents`, json)).status, 422);
  assert.deepEqual((await get('{"files":[]}')).body, []);
  const files = { files: ['a'] };
  assert.equal((await ada.post(`${REPO}/file-contents?ref=no`, files)).status, 404);
  assert.equal((await ada.post('/api/v1/repos/ada/empty/file-contents', files)).status, 404);
});

test('a bulk read with the tag of the current response returns 304, until the response changes', async (t) => {
  const { forge, ada } = await startEngine(t);
  const files = (paths: readonly string[]) =>
    `${REPO}/file-contents?body=${encodeURIComponent(JSON.stringify({ files: paths }))}`;
  const urls = [
    `${REPO}/contents/docs`,
    `${REPO}/contents-ext/docs`,
    `${REPO}/contents-ext/docs?includes=commit_metadata`,
    files(['docs/a.md']),
    files(['docs/b.md']),
  ];
  const tags = await Promise.all(urls.map(async (url) => (await forge.get(url)).headers.get('etag') ?? ''));
  const statusOf = async (url: string, tag: string) =>
    (await forge.get(url, { headers: { 'if-none-match': tag } })).status;

  assert.equal(new Set(tags).size, tags.length, 'each response has a tag of its own');
  for (const [index, url] of urls.entries()) assert.equal(await statusOf(url, tags[index] ?? ''), 304, url);
  await ada.post(contentsOf('ada/engine', 'new'), { content: '' });
  for (const [index, url] of urls.entries()) assert.equal(await statusOf(url, tags[index] ?? ''), 200, url);
});
