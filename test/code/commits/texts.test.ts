import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GIT_LIMITS } from '../../../src/git/limits.ts';
import { PROCESS_SLOTS } from '../../../src/git/processes/process-slots.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { treeBomb } from '../../support/git/tree-bomb.ts';
import { dial, head } from '../../support/http/raw.ts';
import { until } from '../../support/until.ts';
import { LOOM, startLoom, weave } from './history.ts';

// Runs once: no outcome depends on the database.

const COMMITS = `${LOOM}/git/commits`;

test('a diff shows what a commit changed against its first parent, with renames and binary files', async (t) => {
  const loom = await startLoom(t);
  const { forge, ask, listed, push } = loom;
  await weave(loom);
  await push('main', 'side', 'topic/weave', 'v1');

  for (const oid of await listed('--all')) {
    const parents = (await ask('log', '-1', '--format=%P', oid)).split(' ').filter((each) => each !== '');
    const [parent = await ask('hash-object', '-t', 'tree', '/dev/null')] = parents;
    const expected = await ask('diff', '-M', parent, oid);
    const { status, text, headers } = await forge.get(`${COMMITS}/${oid}.diff`);
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(text.trimEnd(), expected.trimEnd(), oid);
    assert.equal((await forge.get(`/ada/loom/commit/${oid}.diff`)).text, text);
  }
});

test('a patch is an e-mail from which git makes the same commit', async (t) => {
  const loom = await startLoom(t);
  const { forge, ask, listed, push } = loom;
  await weave(loom);
  await push('main', 'side', 'topic/weave', 'v1');

  for (const oid of await listed('--all', '--no-merges')) {
    const [tree, parent, name] = (await ask('log', '-1', '--format=%T %P %an', oid)).split(' ');
    if (parent === '' || tree === (await ask('rev-parse', `${parent}^{tree}`))) continue;
    const { status, text } = await forge.get(`${COMMITS}/${oid}.patch`);
    assert.equal(status, 200);
    const folder = await temporaryFolder(t);
    await git(folder, ['clone', '-q', '--shared', loom.folder, '.']);
    await git(folder, ['checkout', '-q', String(parent)]);
    await git(folder, ['am', '-q'], { input: text });
    assert.equal(await git(folder, ['log', '-1', '--format=%T %P %an']), `${tree} ${parent} ${name}`);
    assert.equal(await git(folder, ['log', '-1', '--format=%B']), await ask('log', '-1', '--format=%B', oid));
    assert.equal((await forge.get(`/ada/loom/commit/${oid}.patch`)).text, text);
  }
});

test('the patch of a merge has what it changed against its first parent', async (t) => {
  const loom = await startLoom(t);
  const { forge, ask, push } = loom;
  await weave(loom);
  await push('main');
  const merge = await ask('log', '-1', '--merges', '--format=%H', 'main');

  const { text } = await forge.get(`${COMMITS}/${merge}.patch`);

  assert.match(text, /^From [0-9a-f]{40} Mon Sep 17 00:00:00 2001\nFrom: Ada <ada@example.org>\n/);
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', '--shared', loom.folder, '.']);
  await git(folder, ['checkout', '-q', `${merge}^1`]);
  await git(folder, ['am', '-q'], { input: text });
  assert.equal(await git(folder, ['rev-parse', 'HEAD^{tree}']), await ask('rev-parse', `${merge}^{tree}`));
});

test('a diff is found by a branch, a tag or an abbreviated id, and other names are missing', async (t) => {
  const loom = await startLoom(t);
  const { forge, ask, push } = loom;
  await weave(loom);
  await ask('branch', 'v1.diff', 'side');
  await push('main', 'side', 'topic/weave', 'v1', 'v1.diff');
  const of = async (name: string) => (await forge.get(`${COMMITS}/${name}.diff`)).text;
  const diff = async (oid: string) =>
    (await forge.get(`${COMMITS}/${await ask('rev-parse', oid)}.diff`)).text;

  assert.equal(await of('topic%2Fweave'), await diff('topic/weave'));
  assert.equal(await of('v1'), await diff('v1^{commit}'));
  assert.equal(await of((await ask('rev-parse', 'side')).slice(0, 9)), await diff('side'));
  assert.equal(await of('v1.diff'), await diff('side'));
  const blob = await ask('rev-parse', 'main:docs/plan.md');
  for (const name of ['nothing', blob, 'HEAD~1', '@%7Bu%7D', '0'.repeat(40), '--output=x', 'main%5E'])
    for (const end of ['diff', 'patch'])
      assert.equal((await forge.get(`${COMMITS}/${name}.${end}`)).status, 404, `${name}.${end}`);
  for (const end of ['txt', 'diffs', 'apatch']) {
    assert.equal((await forge.get(`${COMMITS}/main.${end}`)).status, 404, end);
  }
  assert.equal((await forge.get(`${COMMITS}/v1.diff`)).status, 200);
});

test('a diff has an ETag, and HEAD and conditional requests start no comparison', async (t) => {
  const loom = await startLoom(t);
  const { forge, ada, push } = loom;
  await weave(loom);
  await push('main');
  const url = `${COMMITS}/main.diff`;
  const tag = (await forge.get(url)).headers.get('etag') ?? '';

  const known = await forge.get(url, { headers: { 'if-none-match': tag } });
  const bare = await forge.send('HEAD', url);

  assert.deepEqual([known.status, known.text], [304, '']);
  assert.deepEqual([bare.status, bare.headers.get('etag'), bare.text], [200, tag, '']);
  assert.notEqual((await forge.get(`${COMMITS}/main.patch`)).headers.get('etag'), tag);
  await ada.patch(LOOM, { private: true });
  assert.equal((await forge.get(url, { headers: { 'if-none-match': tag } })).status, 404);
});

test('H2: the diff of a commit with billions of files ends with 422 or breaks off, and others go on', async (t) => {
  const { forge, commit, push, folder, ask } = await startLoom(t);
  await commit('Begin', { 'a.txt': 'one\n' });
  // With long names, git reaches its limit of memory sooner.
  const tree = await treeBomb(folder, { width: 30, depth: 6, name: 'n'.repeat(200) });
  const bomb = await ask('commit-tree', tree, '-p', 'HEAD', '-m', 'Bomb');
  await push(`${bomb}:refs/heads/bomb`, 'main');

  for (const end of ['diff', 'patch']) {
    const outcome = await forge.get(`${COMMITS}/bomb.${end}`).then(
      ({ status }) => status,
      () => 'broken off',
    );
    assert.ok(outcome === 422 || outcome === 'broken off', `${end}: ${outcome}`);
  }

  assert.equal((await forge.get(`${COMMITS}/main.diff`)).status, 200);
});

test('a large diff arrives whole', async (t) => {
  const { forge, commit, push, ask } = await startLoom(t);
  const lines = (word: string) =>
    Array.from({ length: 30_000 }, (_, index) => `${`${word} `.repeat(25)}${index}\n`).join('');
  await commit('Begin', { 'a.txt': lines('one') });
  await commit('Change', { 'a.txt': lines('two') });
  await push('main');

  const { text } = await forge.get(`${COMMITS}/main.diff`);

  assert.ok(text.length > 2 * GIT_LIMITS.spoolMemoryBytesMax);
  assert.equal(text.trimEnd(), (await ask('diff', 'main^', 'main')).trimEnd());
});

test('git ends when the client of a diff leaves', async (t) => {
  const { forge, commit, push, folder, ask } = await startLoom(t);
  await commit('Begin', { 'a.txt': 'one\n' });
  const tree = await treeBomb(folder, { width: 30, depth: 6 });
  const bomb = await ask('commit-tree', tree, '-p', 'HEAD', '-m', 'Bomb');
  await push(`${bomb}:refs/heads/bomb`);
  const socket = await dial(t, forge);

  socket.write(head([`GET ${COMMITS}/bomb.diff HTTP/1.1`]));
  await until(() => PROCESS_SLOTS.diffs.running === 1);
  socket.destroy();

  await until(() => PROCESS_SLOTS.diffs.running === 0);
});

test('git ends before a slow client has read a diff', async (t) => {
  const { forge, commit, push } = await startLoom(t);
  // Long lines are compared and compressed faster than as many bytes of short ones.
  const lines = `${'x'.repeat(999)}\n`.repeat(15_000);
  await commit('Begin', { 'a.txt': lines, 'b.txt': lines });
  await push('main');
  const socket = await dial(t, forge);
  socket.pause();

  socket.write(head([`GET ${COMMITS}/main.diff HTTP/1.1`]));
  await until(() => PROCESS_SLOTS.diffs.running === 1);

  await until(() => PROCESS_SLOTS.diffs.running === 0);
  assert.ok(socket.bytesRead < 20_000_000, `${socket.bytesRead} bytes`);
  socket.destroy();
});
