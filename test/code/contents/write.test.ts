import assert from 'node:assert/strict';
import { chmod, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { commitAll, git } from '../../support/git/git.ts';
import type { Answer } from '../../support/http/http.ts';
import { file, historyOf, statusAndMessage } from './engine.ts';
import { base64, contentsOf, pushedRepository } from './files.ts';

const ZERO_TIME = '0001-01-01T00:00:00Z';

async function setState(forge: TestForge, name: string, set: { archived_at?: number; is_mirror?: number }) {
  await forge.forge.running.engines.database.transaction(async (tx) => {
    await tx.updateTable('repositories').set(set).where('lower_name', '=', name).execute();
  });
}

test('a created file returns its record and its commit', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const [parent] = await historyOf(t, ada, '%H');

  const created = await ada.post(file('docs/plan.md'), {
    content: base64('# Plan\n'),
    message: '  Add the plan \n\n',
    author: { name: 'Ada L', email: 'ada.l@example.org' },
    dates: { author: '2026-01-02T03:04:05+02:00', committer: '2026-01-02T04:04:05.678Z' },
    signoff: true,
  });

  assert.equal(created.status, 201);
  const read = await ada.get(file('docs/plan.md'));
  assert.deepEqual(created.body.content, read.body);
  const { sha, tree, ...commit } = created.body.commit;
  const root = `${forge.url}/api/v1/repos/ada/engine/git`;
  assert.deepEqual(commit, {
    url: `${root}/commits/${sha}`,
    created: ZERO_TIME,
    html_url: `${forge.url}/ada/engine/commit/${sha}`,
    author: { name: 'Ada L', email: 'ada.l@example.org', date: '2026-01-02T01:04:05Z' },
    committer: { name: 'Ada L', email: 'ada.l@example.org', date: '2026-01-02T04:04:05Z' },
    parents: [{ url: `${root}/commits/${parent}`, sha: parent, created: ZERO_TIME }],
    message: 'Add the plan\n\nSigned-off-by: Ada L <ada.l@example.org>',
  });
  assert.deepEqual(tree, { url: `${root}/trees/${tree.sha}`, sha: tree.sha, created: ZERO_TIME });
  assert.deepEqual(created.body.verification, {
    verified: false,
    reason: 'gpg.error.not_signed_commit',
    signature: '',
    signer: null,
    payload: '',
  });
  assert.deepEqual(
    (await historyOf(t, ada, '%H|%T|%an <%ae> %ad|%cn <%ce> %cd|%s'))[0],
    [
      sha,
      tree.sha,
      'Ada L <ada.l@example.org> Fri Jan 2 03:04:05 2026 +0200',
      'Ada L <ada.l@example.org> Fri Jan 2 04:04:05 2026 +0000',
      'Add the plan',
    ].join('|'),
  );
});

test('a moved file keeps its mode', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, push } = await pushedRepository(t, ada, 'engine', { 'bin/run.sh': '#!/bin/sh\n', a: '1' });
  await chmod(join(folder, 'bin/run.sh'), 0o755);
  await commitAll(folder, 'Make it executable');
  await push('main');
  const { sha } = (await ada.get(file('bin/run.sh'))).body;

  const moved = await ada.put(file('run/it.sh'), {
    content: base64('#!/bin/sh\n'),
    sha,
    from_path: 'bin/run.sh',
  });
  const into = await ada.put(file('a/inside'), {
    content: base64('1'),
    sha: (await ada.get(file('a'))).body.sha,
    from_path: 'a',
  });
  await git(folder, ['pull', '-q', ada.remote('ada/engine'), 'main']);

  assert.deepEqual([moved.status, into.status], [200, 200]);
  assert.deepEqual(
    (await git(folder, ['ls-files', '-s'])).split('\n').map((line) => line.split(/\s/).toSpliced(1, 2)),
    [
      ['100644', 'a/inside'],
      ['100755', 'run/it.sh'],
    ],
  );
  assert.equal((await ada.get(file('bin'))).status, 404, 'a folder without files no longer exists');
});

test('a move needs a free target and a current source file', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { a: '1', b: '2', 'd/x': '3' });
  const [a, b] = [(await ada.get(file('a'))).body.sha, (await ada.get(file('b'))).body.sha];
  const move = async (from: string, to: string, sha: string) =>
    statusAndMessage(await ada.put(file(to), { content: '', sha, from_path: from }))[0];

  assert.equal(await move('a', 'b', a), 422, 'the target exists');
  assert.equal(await move('a', 'd', a), 422, 'the target is a folder');
  assert.equal(await move('a', 'b/below', a), 422, 'the target is below a file');
  assert.equal(await move('a', 'c', b), 422, 'the sha is that of another file');
  assert.equal(await move('nope', 'c', a), 404);
  assert.equal(await move('d', 'c', a), 422, 'a folder is not a file');
  assert.equal(await move('../a', 'c', a), 422);
  assert.equal(await move('a', 'a', a), 200, 'the target is the current path');
});

test('an invalid write is rejected and commits nothing', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, push } = await pushedRepository(t, ada, 'engine', { 'a.txt': '1', 'docs/x': '2' });
  await symlink('a.txt', join(folder, 'link'));
  await git(folder, ['add', 'link']);
  await git(folder, ['update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},lib`]);
  await git(folder, ['commit', '-q', '-m', 'A link']);
  await push('main');
  const tip = await git(folder, ['rev-parse', 'HEAD']);
  const sha = (await ada.get(file('a.txt'))).body.sha;
  const of = async (path: string) => (await ada.get(file(path))).body.sha;
  const stale = 'ba5eba11'.repeat(5);
  const mismatch = `sha does not match [path: a.txt, given: ${stale}, expected: ${sha}]`;

  const posts: [path: string, body: object, status: number, message: string | RegExp][] = [
    ['a.txt', { content: '' }, 422, 'repository file already exists [path: a.txt]'],
    ['docs', { content: '' }, 422, 'folder already exists [path: docs]'],
    ['link', { content: '' }, 422, 'symbolic link already exists [path: link]'],
    ['lib', { content: '' }, 422, 'submodule already exists [path: lib]'],
    ['a.txt/below', { content: '' }, 422, /a\.txt/],
    ['link/below', { content: '' }, 422, /link/],
    ['lib/below', { content: '' }, 422, /lib/],
    ['new', {}, 422, '[Content]: Required'],
    ['new', { content: '%%%' }, 422, '[Content]: not standard base64'],
    ['new', { content: 'YQ' }, 422, '[Content]: not standard base64'],
    ['new', { content: 'YQ=' }, 422, '[Content]: not standard base64'],
    ['new', { content: 'Y-_=' }, 422, '[Content]: not standard base64'],
    ['new', { content: 'YQ==YQ==' }, 422, '[Content]: not standard base64'],
    ['new', { content: 'Y===' }, 422, '[Content]: not standard base64'],
    ['new', { content: '', message: 'a\0b' }, 422, /^\[Message\]: /],
    ['', { content: '' }, 422, /path/],
  ];
  for (const [path, body, status, message] of posts)
    check(await ada.post(file(path), body), path, status, message);

  const puts: typeof posts = [
    ['a.txt', { content: '' }, 422, /^repository file already exists .*: send its sha to change it$/],
    ['a.txt', { content: '', sha: '' }, 422, /^repository file already exists/],
    ['docs', { content: '' }, 422, 'folder already exists [path: docs]'],
    ['link', { content: '' }, 422, 'symbolic link already exists [path: link]'],
    ['lib', { content: '' }, 422, 'submodule already exists [path: lib]'],
    ['a.txt/below', { content: '' }, 422, /a\.txt/],
    ['new', { content: '%%%' }, 422, '[Content]: not standard base64'],
    ['new', { content: '', from_path: 'a.txt' }, 422, /^\[SHA\]: Required/],
    ['a.txt', { sha }, 422, '[Content]: Required'],
    ['a.txt', { content: '', sha: stale }, 422, mismatch],
    ['nope', { content: '', sha }, 404, "The target couldn't be found."],
    ['docs', { content: '', sha: await of('docs/x') }, 422, /docs/],
    ['link', { content: '', sha: await of('link') }, 422, /link is not changed in place/],
    ['lib', { content: '', sha: '1'.repeat(40) }, 422, /submodule can only be deleted/],
    ['new', { content: '', sha: '1'.repeat(40), from_path: 'lib' }, 422, /submodule can only be deleted/],
    ['new', { content: '', sha: await of('link'), from_path: 'link' }, 422, /the path that it leads to/],
    ['new', { content: base64('a\0'), sha: await of('link'), from_path: 'link' }, 422, /leads to/],
    ['.gitmodules', { content: base64('a'), sha: await of('link'), from_path: 'link' }, 422, /gitmodules/],
    ['a.txt/below', { content: '', sha }, 404, "The target couldn't be found."],
  ];
  for (const [path, body, status, message] of puts)
    check(await ada.put(file(path), body), path, status, message);

  const deletes: typeof posts = [
    ['a.txt', {}, 400, '[SHA]: Required'],
    ['a.txt', { sha: stale }, 400, mismatch],
    ['nope', { sha }, 404, "The target couldn't be found."],
    ['docs', { sha }, 400, /docs/],
    ['link', { sha }, 400, /sha does not match/],
    ['lib', { sha }, 400, /sha does not match/],
    ['a.txt', { sha, new_branch: 'main', branch: 'nope' }, 404, "The target couldn't be found."],
    ['a//b', { sha }, 400, /path/],
  ];
  for (const [path, body, status, message] of deletes)
    check(await ada.delete(file(path), body), path, status, message);

  assert.equal((await historyOf(t, ada, '%H'))[0], tip);
});

function check(answer: Answer, path: string, status: number, message: string | RegExp): void {
  assert.equal(answer.status, status, `${path}: ${answer.text}`);
  if (typeof message === 'string') assert.equal(answer.body.message, message, path);
  else assert.match(answer.body.message, message, path);
}

test('PUT without a sha creates a missing file, once, and changes none', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('empty');
  const inEmpty = await ada.put(contentsOf('ada/empty', 'first'), { content: '' });
  assert.deepEqual([inEmpty.status, inEmpty.body.message], [422, 'repo is empty']);
  await pushedRepository(t, ada, 'engine', { a: 'a' });

  const created = await ada.put(file('docs/new'), { content: base64('one') });
  assert.equal(created.status, 201, created.text);
  assert.deepEqual(created.body.content, (await ada.get(file('docs/new'))).body);
  assert.equal(created.body.commit.message, 'Add docs/new\n');
  assert.equal(created.headers.get('etag') === null, false);
  const withEmptySha = await ada.put(file('c'), { content: '', sha: '' });
  assert.equal(withEmptySha.status, 201, withEmptySha.text);
  assert.equal((await ada.put(file('x'), { content: '', branch: 'no' })).status, 404);
  const again = await ada.put(file('docs/new'), { content: base64('two') });
  assert.equal(again.status, 422);
  assert.equal((await ada.get(file('docs/new'))).body.sha, created.body.content.sha);
  const branch = await ada.put(file('b'), { content: '', new_branch: 'topic' });
  assert.equal(branch.status, 201, branch.text);
});

test('base64 content may contain line breaks and may be empty', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const bytes = Buffer.from(Array.from({ length: 500 }, (_, index) => index % 256));

  const lines = await ada.post(file('lines'), {
    content: (base64(bytes).match(/.{1,76}/g) ?? []).join('\r\n'),
  });
  const empty = await ada.post(file('empty'), { content: '' });

  assert.equal(lines.body.content.content, base64(bytes));
  assert.deepEqual([empty.status, empty.body.content.size, empty.body.content.content], [201, 0, '']);
});

test('DELETE reads its parameters from the query if it has no body', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { a: '1', b: '2' });
  const sha = (await ada.get(file('a'))).body.sha;
  const query = new URLSearchParams({ sha, message: 'By query', new_branch: 'removed', signoff: 'true' });

  const deleted = await ada.delete(`${file('a')}?${query}`);
  const withContentType = await ada.send('DELETE', `${file('a')}?sha=${sha}`, {
    headers: { 'content-type': 'application/json' },
  });

  assert.equal(deleted.status, 200);
  assert.equal(deleted.body.content, null);
  assert.equal(deleted.body.commit.message, 'By query\n\nSigned-off-by: ada <ada@example.org>');
  assert.equal((await ada.get(`${file('a')}?ref=removed`)).status, 404);
  assert.equal(withContentType.status, 200);
  assert.deepEqual(
    (await ada.get('/api/v1/repos/ada/engine/contents')).body.map((entry: { path: string }) => entry.path),
    ['b'],
  );
});

test('an archived repository and a mirror reject changes over the API', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const sha = (await ada.get(file('README.md'))).body.sha;
  const statuses = async () => [
    (await ada.post(file('a'), { content: '' })).status,
    (await ada.put(file('README.md'), { content: '', sha })).status,
    (await ada.delete(file('README.md'), { sha })).status,
  ];

  await setState(forge, 'engine', { archived_at: Date.now() });
  assert.deepEqual(await statuses(), [423, 423, 423]);
  const { archived, archived_at: at } = (await ada.get('/api/v1/repos/ada/engine')).body;
  assert.equal(archived, true);
  assert.match(at, /^20\d\d-/);
  await setState(forge, 'engine', { archived_at: null as never, is_mirror: 1 });
  assert.deepEqual(await statuses(), [403, 403, 403]);
  await setState(forge, 'engine', { is_mirror: 0 });
  assert.deepEqual(await statuses(), [201, 200, 400]);
});

test('checks run in order: repository, credential, permission, input', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine', { auto_init: true });
  await ada.repository('secret', { auto_init: true, private: true });
  const bad = { json: { content: 1 } };
  const good = { json: { content: '' } };
  const secret = contentsOf('ada/secret', 'a');

  for (const sent of [bad, good]) {
    assert.equal((await forge.send('POST', secret, sent)).status, 404);
    assert.equal((await ben.send('POST', secret, sent)).status, 404);
    assert.equal((await forge.send('POST', file('a'), sent)).status, 401);
    assert.equal((await ben.send('POST', file('a'), sent)).status, 403);
  }
  assert.equal((await ada.send('POST', file('a'), bad)).status, 422);
  assert.equal((await ada.send('POST', file('a'), good)).status, 201);
});
