import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitFile, ENGINE, startEngine } from './pulls.ts';

const fileIn = (branch: string) => `${ENGINE}/contents/pump.txt?ref=${branch}`;

test('a revert takes the changes of a commit back, on its branch', async (t) => {
  const { ada, ben, cyd } = await startEngine(t);
  const sha = await commitFile(ben, 'pump.txt', 'pump\n');
  const revert = `${ENGINE}/commits/${sha}/revert`;
  assert.equal((await cyd.post(revert, {})).status, 403);
  const { status, body } = await ada.post(revert, {});
  assert.deepEqual([status, body.branch, body.pull_request], [201, 'main', null]);
  const { commit } = (await ada.get(`${ENGINE}/git/commits/${body.sha}`)).body;
  assert.equal(commit.message, `Revert "Write pump.txt"\n\nThis reverts commit ${sha}.\n`);
  assert.deepEqual([commit.author.name, (await ada.get(fileIn('main'))).status], ['ada', 404]);
  assert.equal((await ada.post(revert, {})).status, 409);
});

test('a cherry-pick makes the changes of a commit on a new branch, with its author, and opens a pull request', async (t) => {
  const { ada, ben } = await startEngine(t);
  const sha = await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'topic', from: 'main' });
  const pick = `${ENGINE}/commits/${sha.slice(0, 10)}/cherry-pick`;
  await commitFile(ada, 'plan.md', 'plan\n');
  const { status, body } = await ada.post(pick, { new_branch: 'picked', pull_request: true });
  assert.equal(status, 201);
  assert.deepEqual(
    [body.branch, body.pull_request.title, body.pull_request.head.sha],
    ['picked', 'Write pump.txt', body.sha],
  );
  const { commit } = (await ada.get(`${ENGINE}/git/commits/${body.sha}`)).body;
  assert.deepEqual([commit.author.name, commit.committer.name], ['ben', 'ada']);
  assert.match(commit.message, new RegExp(`cherry picked from commit ${sha}`));
  assert.deepEqual(
    [(await ada.get(fileIn('picked'))).status, (await ada.get(fileIn('main'))).status],
    [200, 404],
  );
});

test('requests for reverts and cherry-picks that are not possible change nothing', async (t) => {
  const { ada } = await startEngine(t);
  const sha = await commitFile(ada, 'pump.txt', 'one\n');
  await commitFile(ada, 'pump.txt', 'two\n');
  const send = async (id: string, body: unknown, application = 'revert') =>
    (await ada.post(`${ENGINE}/commits/${id}/${application}`, body)).status;
  assert.equal(await send(sha, {}), 409);
  assert.equal(await send('1'.repeat(40), {}), 404);
  assert.equal(await send(sha, { branch: 'missing' }), 404);
  assert.equal(await send(sha, { new_branch: 'main' }, 'cherry-pick'), 409);
  assert.equal(await send(sha, { new_branch: 'a b' }, 'cherry-pick'), 422);
  assert.equal(await send(sha, { pull_request: true }, 'cherry-pick'), 422);
  await ada.patch(ENGINE, { archived: true });
  assert.equal(await send(sha, {}), 423);
});
