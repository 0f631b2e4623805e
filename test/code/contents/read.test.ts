import assert from 'node:assert/strict';
import { chmod, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { commitAll, git } from '../../support/git/git.ts';
import { contentsOf, pushedRepository, writeFiles } from './files.ts';

// Runs once: no outcome depends on the database.

const REPO = '/api/v1/repos/ada/engine';
const SUBMODULE_COMMIT = '1234567890123456789012345678901234567890';

test('a file record contains every field', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, commit } = await pushedRepository(t, ada, 'engine', { 'docs/a plan.md': '# Plan\n' });
  const when = await git(folder, ['log', '-1', '--format=%cd', '--date=format-local:%Y-%m-%dT%H:%M:%SZ'], {
    environment: { TZ: 'UTC' },
  });

  const answer = await forge.get(contentsOf('ada/engine', 'docs/a plan.md'));

  assert.equal(answer.status, 200);
  const sha = '14fba09b2e543cace2d9b291ea4e9e8a648725fe';
  const self = `${forge.url}/api/v1/repos/ada/engine/contents/docs/a%20plan.md?ref=main`;
  const html = `${forge.url}/ada/engine/src/branch/main/docs/a%20plan.md`;
  const gitUrl = `${forge.url}/api/v1/repos/ada/engine/git/blobs/${sha}`;
  assert.deepEqual(answer.body, {
    name: 'a plan.md',
    path: 'docs/a plan.md',
    sha,
    last_commit_sha: commit,
    last_commit_when: when,
    type: 'file',
    size: 7,
    encoding: 'base64',
    content: 'IyBQbGFuCg==',
    target: null,
    url: self,
    html_url: html,
    git_url: gitUrl,
    download_url: `${forge.url}/ada/engine/raw/branch/main/docs/a%20plan.md`,
    submodule_git_url: null,
    _links: { self, git: gitUrl, html },
  });
});

/** Creates a repository with a file, a folder, a symlink, an executable and submodules in its root. */
async function repositoryOfEveryKind(t: TestContext): Promise<TestForge> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, push } = await pushedRepository(t, ada, 'engine', {
    'a/inside.txt': 'x',
    'a.txt': 'text',
    a0: '',
    'run.sh': '#!/bin/sh\n',
    '.gitmodules': '[submodule "lib"]\n\tpath = lib\n\turl = https://example.org/lib.git\n',
  });
  await chmod(join(folder, 'run.sh'), 0o755);
  await symlink('a/inside.txt', join(folder, 'link'));
  await git(folder, ['update-index', '--add', '--cacheinfo', `160000,${SUBMODULE_COMMIT},lib`]);
  await git(folder, ['update-index', '--add', '--cacheinfo', `160000,${SUBMODULE_COMMIT},unknown`]);
  await git(folder, ['add', 'run.sh', 'link']);
  await git(folder, ['commit', '-q', '-m', 'More']);
  await push('main');
  return forge;
}

interface Entry {
  readonly path: string;
  readonly [field: string]: unknown;
}

/** Checks that exactly the fields that an entry of this type has are set. */
function assertFieldsOf(entry: Entry): void {
  assert.equal(Object.keys(entry).length, 16, entry.path);
  assert.deepEqual([entry.content, entry.encoding], [null, null], entry.path);
  const isSubmodule = entry.type === 'submodule';
  assert.equal(entry.git_url === null, isSubmodule, entry.path);
  assert.equal(entry.html_url === null, isSubmodule, entry.path);
  assert.equal(entry.download_url === null, isSubmodule || entry.type === 'dir', entry.path);
}

test('a folder with entries of every kind', async (t) => {
  const forge = await repositoryOfEveryKind(t);
  const { body: root }: { body: Entry[] } = await forge.get('/api/v1/repos/ada/engine/contents');
  const read = (path: string) => forge.get(contentsOf('ada/engine', path));

  await t.test("the list is in git's order, and each entry has the fields of its kind", () => {
    assert.deepEqual(
      root.map(({ path, type, size, target, submodule_git_url }) => [
        path,
        type,
        size,
        target,
        submodule_git_url,
      ]),
      [
        ['.gitmodules', 'file', 65, null, null],
        ['a.txt', 'file', 4, null, null],
        ['a', 'dir', 0, null, null],
        ['a0', 'file', 0, null, null],
        ['lib', 'submodule', 0, null, 'https://example.org/lib.git'],
        ['link', 'symlink', 12, 'a/inside.txt', null],
        ['run.sh', 'file', 10, null, null],
        ['unknown', 'submodule', 0, null, null],
      ],
    );
    for (const entry of root) assertFieldsOf(entry);
    assert.equal(root.find(({ path }) => path === 'lib')?.sha, SUBMODULE_COMMIT);
  });

  await t.test('an entry read alone equals its entry in the list, except for its content', async () => {
    for (const path of ['link', 'lib', 'run.sh']) {
      const { content, encoding, ...rest } = (await read(path)).body;
      const listed = root.find((entry) => entry.path === path);
      assert.deepEqual({ ...rest, content: null, encoding: null }, listed, path);
      assert.deepEqual(
        [content, encoding],
        path === 'run.sh' ? ['IyEvYmluL3NoCg==', 'base64'] : [null, null],
      );
    }
  });

  await t.test('a path that ends in a slash lists the folder', async () => {
    const { body }: { body: Entry[] } = await read('a/');
    assert.deepEqual(
      body.map(({ path }) => path),
      ['a/inside.txt'],
    );
  });

  await t.test('a path below a link, a submodule or a file returns 404', async () => {
    for (const path of ['link/x', 'lib/x', 'a.txt/x']) assert.equal((await read(path)).status, 404, path);
  });
});

/** Creates a repository whose file `version` differs between the tagged first commit and the tip of `main`. */
async function repositoryWithRefs(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, commit: first, push } = await pushedRepository(t, ada, 'engine', { version: 'one' });
  await git(folder, ['tag', 'v1']);
  await git(folder, ['tag', '-a', '-m', 'The first', 'v1-annotated']);
  await git(folder, ['tag', '-a', '-m', 'Tagged twice', 'v1-twice', 'v1-annotated']);
  await git(folder, ['branch', 'feature/x']);
  await writeFiles(folder, { version: 'two' });
  const second = await commitAll(folder, 'Second');
  await push('main', 'feature/x', '--tags');
  const blob = await git(folder, ['rev-parse', 'HEAD:version']);
  const read = (ref: string) =>
    forge.get(`${contentsOf('ada/engine', 'version')}?ref=${encodeURIComponent(ref)}`);
  return { forge, first, second, blob, read };
}

test('the ref of a request', async (t) => {
  const { forge, first, second, blob, read } = await repositoryWithRefs(t);

  const found: [ref: string, commit: string, location: string][] = [
    ['', second, 'branch/main'],
    ['main', second, 'branch/main'],
    ['refs/heads/main', second, 'branch/main'],
    ['feature/x', first, 'branch/feature/x'],
    ['v1', first, 'tag/v1'],
    ['refs/tags/v1', first, 'tag/v1'],
    ['v1-annotated', first, 'tag/v1-annotated'],
    ['v1-twice', first, 'tag/v1-twice'],
    [first, first, `commit/${first}`],
    [first.toUpperCase(), first, `commit/${first}`],
    [first.slice(0, 7), first, `commit/${first}`],
    [second.slice(0, 12), second, `commit/${second}`],
  ];
  await t.test('is a branch, a tag, or a full or abbreviated oid', async () => {
    for (const [ref, commit, location] of found) {
      const { status, body } = await read(ref);
      assert.equal(status, 200, ref);
      assert.equal(body.last_commit_sha, commit, ref);
      assert.equal(body.html_url, `${forge.url}/ada/engine/src/${location}/version`, ref);
      assert.ok(body.url.endsWith(`?ref=${encodeURIComponent(ref === '' ? 'main' : ref)}`), body.url);
    }
  });

  const unknown = ['nope', 'refs/heads/nope', 'refs/', '0'.repeat(40), 'abc', blob, '\0', '-h', '..'];
  const expressions = ['HEAD~1', 'main^', 'main:version', '@'];
  await t.test('returns 404 for an unknown name and for a revision expression of git', async () => {
    for (const ref of [...unknown, ...expressions]) assert.equal((await read(ref)).status, 404, ref);
  });
});

test('an empty repository has an empty root and no other path', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');

  for (const path of ['contents', 'contents/', 'contents?ref=main']) {
    const root = await forge.get(`/api/v1/repos/ada/engine/${path}`);
    assert.deepEqual([root.status, root.body], [200, []], path);
    const headers = { 'if-none-match': root.headers.get('etag') ?? '' };
    assert.equal((await forge.get(`/api/v1/repos/ada/engine/${path}`, { headers })).status, 304, path);
  }
  for (const path of ['contents/README.md', 'contents/docs/x', 'raw/README.md', 'raw/']) {
    assert.equal((await forge.get(`/api/v1/repos/ada/engine/${path}`)).status, 404, path);
  }
});

test('a repository without branches can be read at a tag', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder } = await pushedRepository(t, ada, 'other', { file: 'x' });
  await ada.repository('engine');
  await git(folder, ['tag', 'v1']);
  await git(folder, ['push', '-q', ada.remote('ada/engine'), 'v1']);

  const atTag = await forge.get('/api/v1/repos/ada/engine/contents?ref=v1');

  assert.deepEqual(
    atTag.body.map((entry: { path: string }) => entry.path),
    ['file'],
  );
  assert.deepEqual((await forge.get('/api/v1/repos/ada/engine/contents')).body, []);
});

test('missing paths and refs return 404', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { 'docs/plan.md': 'x' });

  for (const path of [
    'nope',
    'docs/nope',
    'DOCS',
    'docs/plan.md/x',
    'docs//plan.md',
    '%00',
    'docs/plan.md%00',
  ]) {
    const answer = await forge.get(`/api/v1/repos/ada/engine/contents/${path}`);
    assert.equal(answer.status, 404, path);
    assert.equal(answer.body.message, "The target couldn't be found.");
  }
  assert.equal((await forge.get('/api/v1/repos/ada/engine/contents/docs%2Fplan.md')).status, 200);
});

test('files with unusual names are listed and read', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const names = [
    ' leading',
    '#hash?query&x=1',
    '%41',
    '%zz',
    '+plus',
    '-dash',
    '..dots',
    'a b',
    'back\\slash',
    'colon:x',
    'line\nend',
    `quote'"`,
    'semi;colon',
    'tab\tx',
    `${'x'.repeat(251)}.txt`,
    'ünï',
    '日本/語.md',
    '😀',
  ];
  await pushedRepository(t, ada, 'engine', Object.fromEntries(names.map((name) => [name, `in ${name}`])));

  const listed = await forge.get('/api/v1/repos/ada/engine/contents');

  const paths = listed.body.map((entry: { path: string }) => entry.path);
  assert.deepEqual([...paths].sort(), names.map((name) => (name.startsWith('日本') ? '日本' : name)).sort());
  for (const name of names) {
    const answer = await forge.get(contentsOf('ada/engine', name));
    assert.equal(answer.status, 200, name);
    assert.equal(answer.body.path, name);
    assert.equal(Buffer.from(answer.body.content, 'base64').toString(), `in ${name}`);
    const again = await forge.get(new URL(answer.body.url).pathname);
    assert.equal(again.body.sha, answer.body.sha, 'the URL in the record leads to the file');
  }
});

test('the content of a file at the size limit is in every response; above it, content and encoding are null', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const limit = 10 * 1024 * 1024;
  await pushedRepository(t, ada, 'engine', {
    at: Buffer.alloc(limit, 'a'),
    above: Buffer.alloc(limit + 1, 'b'),
    empty: '',
  });

  const at = await forge.get(contentsOf('ada/engine', 'at'));
  const above = await forge.get(contentsOf('ada/engine', 'above'));

  assert.equal(at.body.size, limit);
  assert.ok(Buffer.from(at.body.content, 'base64').equals(Buffer.alloc(limit, 'a')));
  const empty = await forge.get(contentsOf('ada/engine', 'empty'));
  assert.deepEqual([empty.body.size, empty.body.encoding, empty.body.content], [0, 'base64', '']);
  const files = { files: ['above'] };
  const extended = await forge.get(`${REPO}/contents-ext/above?includes=file_content`);
  const body = encodeURIComponent(JSON.stringify(files));
  const content = Buffer.alloc(limit + 1, 'c').toString('base64');
  const created = await ada.post(contentsOf('ada/engine', 'new'), { content });
  const { sha } = created.body.content;
  const moved = { content, sha, from_path: 'new', new_branch: 'moved' };
  const operations = [{ operation: 'update', path: 'new', content, sha }];
  for (const [what, record] of Object.entries({
    file: above.body,
    'contents-ext': extended.body.file_contents,
    'file-contents': (await forge.get(`${REPO}/file-contents?body=${body}`)).body[0],
    'file-contents by POST': (await forge.send('POST', `${REPO}/file-contents`, { json: files })).body[0],
    created: created.body.content,
    'changed and moved': (await ada.put(contentsOf('ada/engine', 'other'), moved)).body.content,
    'one of several': (await ada.post(`${REPO}/contents`, { files: operations })).body.files[0],
  }))
    assert.deepEqual([record.size, record.encoding, record.content], [limit + 1, null, null], what);
});

test('a request with the tag of the current response returns 304, until the response changes', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, push } = await pushedRepository(t, ada, 'engine', { 'docs/plan.md': 'one' });
  const url = contentsOf('ada/engine', 'docs/plan.md');
  const first = await forge.get(url);
  const etag = first.headers.get('etag') ?? '';
  assert.match(etag, /^"[0-9a-f]{40}"$/);
  const getWithTag = (path: string, tag: string) => forge.get(path, { headers: { 'if-none-match': tag } });

  for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const { status, text, headers } = await getWithTag(url, tag);
    assert.deepEqual([status, text, headers.get('etag')], [304, '', etag], tag);
  }
  for (const tag of ['"x"', etag.slice(1, -1), ''])
    assert.equal((await getWithTag(url, tag)).status, 200, tag);
  for (const other of [`${url}?ref=main`.replace('plan.md', ''), `${url}?ref=refs/heads/main`])
    assert.equal((await getWithTag(other, etag)).status, 200, other);
  const root = '/api/v1/repos/ada/engine/contents';
  const rootTag = (await forge.get(root)).headers.get('etag') ?? '';
  assert.equal((await getWithTag(root, rootTag)).status, 304);

  await writeFiles(folder, { 'other.txt': 'x' });
  await commitAll(folder, 'Another file');
  await push('main');
  assert.equal((await getWithTag(root, rootTag)).status, 200);
  await ada.delete('/api/v1/repos/ada/engine');
  assert.equal((await getWithTag(url, etag)).status, 404, 'access is checked before tags are compared');
});

test('HEAD returns the headers of GET without a body', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { 'docs/plan.md': 'one' });

  for (const path of [
    'contents',
    'contents/docs',
    'contents/docs/plan.md',
    'contents/nope',
    'raw/docs/plan.md',
  ]) {
    const url = `/api/v1/repos/ada/engine/${path}`;
    const [get, head] = [await forge.get(url), await forge.send('HEAD', url)];
    assert.equal(head.status, get.status, path);
    assert.equal(head.text, '');
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control', 'last-modified'])
      assert.equal(head.headers.get(name), get.headers.get(name), `${path}: ${name}`);
  }
});

test('each entry names its last commit, even if a merge brought it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, push } = await pushedRepository(t, ada, 'engine', {
    'docs/a.md': '1',
    'docs/b.md': '1',
    'src/x/deep.ts': '1',
    top: '1',
  });
  const change = async (files: Record<string, string>, message: string) => {
    await writeFiles(folder, files);
    return commitAll(folder, message);
  };
  await git(folder, ['checkout', '-q', '-b', 'side']);
  await change({ 'docs/b.md': '2', 'src/y/new.ts': '1' }, 'On a side branch');
  await git(folder, ['checkout', '-q', '-b', 'third', 'main']);
  await change({ 'third/only': '1' }, 'On a third branch');
  await git(folder, ['checkout', '-q', 'main']);
  await change({ 'docs/a.md': '2', top: '2' }, 'On main');
  await git(folder, ['merge', '-q', '--no-ff', '-m', 'All three', 'side', 'third']);
  await change({ top: '1' }, 'Restore');
  await push('main');

  let checked = 0;
  for (const path of ['', 'docs', 'src', 'src/x', 'src/y', 'third']) {
    const listed = await forge.get(`/api/v1/repos/ada/engine/contents${path === '' ? '' : `/${path}`}`);
    for (const entry of listed.body) {
      const expected = await git(folder, ['log', '-1', '--format=%H', '--', entry.path]);
      assert.equal(entry.last_commit_sha, expected, entry.path);
      const alone = await forge.get(contentsOf('ada/engine', entry.path));
      if (!Array.isArray(alone.body)) assert.equal(alone.body.last_commit_sha, expected, entry.path);
      checked += 1;
    }
  }
  assert.equal(checked, 11);
});
