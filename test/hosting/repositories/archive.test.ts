import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder, tryGit } from '../../support/git/git.ts';
import { setRow } from './rows.ts';

const REPO = '/api/v1/repos/ada/engine';
const UNSET = '1970-01-01T00:00:00Z';

async function startWithEngine(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const made = await ada.repository('engine', { auto_init: true });
  return { forge, ada, made };
}

test('an archived repository rejects file writes and pushes', async (t) => {
  const { ada } = await startWithEngine(t);
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);
  await git(folder, ['commit', '-q', '--allow-empty', '-m', 'more']);
  const before = Math.floor(Date.now() / 1000) * 1000;

  const { status, body } = await ada.patch(REPO, { archived: true });

  assert.equal(status, 200);
  assert.equal(body.archived, true);
  const at = Date.parse(body.archived_at);
  assert.ok(at >= before && at <= Date.now());
  const [{ sha }] = (await ada.get(`${REPO}/contents`)).body;
  assert.equal((await ada.post(`${REPO}/contents/new`, { content: '' })).status, 423);
  assert.equal((await ada.put(`${REPO}/contents/README.md`, { content: '', sha })).status, 423);
  assert.equal((await ada.delete(`${REPO}/contents/README.md`, { sha })).status, 423);
  const push = await tryGit(folder, ['push', 'origin', 'main']);
  assert.notEqual(push.exitCode, 0);
  assert.match(push.stderr, /403|archived/);
  assert.equal(
    (await ada.patch(REPO, { archived: true })).body.archived_at,
    body.archived_at,
    'already archived',
  );
});

test('every change of the code of an archived repository is a 423, and succeeds once it is unarchived', async (t) => {
  const { ada } = await startWithEngine(t);
  const { sha, last_commit_sha: commit } = (await ada.get(`${REPO}/contents/README.md`)).body;
  await ada.post(`${REPO}/contents/old`, { content: '' });
  const old = (await ada.get(`${REPO}/contents/old`)).body.sha;
  for (const name of ['kept', 'old']) await ada.post(`${REPO}/branches`, { new_branch_name: name });
  await ada.post(`${REPO}/tags`, { tag_name: 'v0' });
  await ada.post(`${REPO}/branch_protections`, { rule_name: 'release', enable_push: true });
  const tags = { name_pattern: 'v*', whitelist_usernames: ['ada'] };
  const { id } = (await ada.post(`${REPO}/tag_protections`, tags)).body;
  const create = { operation: 'create', path: 'several', content: '' };
  const writes: readonly [method: string, path: string, json: object, status: number][] = [
    ['POST', 'contents/new', { content: '' }, 201],
    ['POST', 'contents', { files: [create] }, 201],
    ['PUT', 'contents/README.md', { content: '', sha }, 200],
    ['DELETE', 'contents/old', { sha: old }, 200],
    ['POST', 'branches', { new_branch_name: 'new' }, 201],
    ['PATCH', 'branches/kept', { name: 'renamed' }, 204],
    ['DELETE', 'branches/old', {}, 204],
    ['POST', 'tags', { tag_name: 'v1' }, 201],
    ['DELETE', 'tags/v0', {}, 204],
    ['POST', `statuses/${commit}`, { state: 'success' }, 201],
    ['POST', 'branch_protections', { rule_name: 'next' }, 201],
    ['PATCH', 'branch_protections/release', { enable_push: false }, 200],
    ['DELETE', 'branch_protections/release', {}, 204],
    ['POST', 'tag_protections', { ...tags, name_pattern: 'w*' }, 201],
    ['PATCH', `tag_protections/${id}`, { name_pattern: 'x*' }, 200],
    ['DELETE', `tag_protections/${id}`, {}, 204],
  ];
  const send = ([method, path, json]: (typeof writes)[number]) =>
    ada.send(method, `${REPO}/${path}`, { json });

  await ada.patch(REPO, { archived: true });
  for (const write of writes) {
    const answer = await send(write);
    assert.equal(answer.status, 423, `${write[0]} ${write[1]}: ${answer.text}`);
    assert.equal(answer.body.message, 'the repository ada/engine is archived and takes no changes');
  }
  await ada.patch(REPO, { archived: false });
  for (const write of writes) {
    const answer = await send(write);
    assert.equal(answer.status, write[3], `${write[0]} ${write[1]}: ${answer.text}`);
  }
});

test('an unarchived repository accepts writes again', async (t) => {
  const { ada } = await startWithEngine(t);
  await ada.patch(REPO, { archived: true });
  const { status, body } = await ada.patch(REPO, { archived: false });
  assert.equal(status, 200);
  assert.deepEqual([body.archived, body.archived_at], [false, UNSET]);
  assert.equal((await ada.post(`${REPO}/contents/new`, { content: '' })).status, 201);
});

test('settings and the name of an archived repository can change', async (t) => {
  const { ada } = await startWithEngine(t);
  await ada.post(`${REPO}/contents/file`, { content: '', new_branch: 'other' });
  await ada.patch(REPO, { archived: true });
  const edit = { name: 'motor', description: 'x', private: true, default_branch: 'other', has_wiki: false };
  const { status, body } = await ada.patch(REPO, edit);
  assert.equal(status, 200);
  assert.deepEqual(
    [body.name, body.description, body.private, body.default_branch, body.has_wiki, body.archived],
    ['motor', 'x', true, 'other', false, true],
  );
});

test('a mirror cannot be archived or unarchived: 422', async (t) => {
  const { forge, ada, made } = await startWithEngine(t);
  for (const archived_at of [null, 86_400_000]) {
    await setRow(forge, made.id, { is_mirror: 1, archived_at });
    const before = (await ada.get(REPO)).body;
    assert.equal(before.mirror, true);
    for (const archived of [true, false]) {
      assert.equal((await ada.patch(REPO, { archived, description: 'x' })).status, 422);
      assert.deepEqual((await ada.get(REPO)).body, before);
    }
  }
  assert.equal(
    (await ada.patch(REPO, { description: 'x' })).status,
    200,
    'other fields of a mirror can change',
  );
});
