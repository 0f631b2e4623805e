import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOOM, type Loom, startLoom } from '../../code/commits/history.ts';
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

/** Starts with a root commit, a branch of two commits that `main` has merged, and a branch that has neither. */
async function startMerged(t: Parameters<typeof startLoom>[0]) {
  const loom = await startLoom(t);
  const { ask, commit, merge, push } = loom;
  await ask('checkout', '-q', '-B', 'main');
  const root = await commit('Root', { 'root.txt': 'root\n', 'both.txt': 'one\n' });
  await ask('branch', 'bare');
  await ask('checkout', '-q', '-b', 'work');
  await commit('Work', { 'work.txt': 'work\n' });
  await commit('More work', { 'both.txt': 'two\n' });
  await ask('checkout', '-q', 'main');
  await commit('Plan', { 'plan.txt': 'plan\n' });
  await merge('work');
  await ask('checkout', '-q', '--orphan', 'island');
  await ask('rm', '-rfq', '.');
  await commit('Island', { 'island.txt': 'island\n' });
  await push('main', 'work', 'bare', 'island');
  return { ...loom, root, merged: await ask('rev-parse', 'main') };
}

async function filesOf({ ada }: Loom, branch: string): Promise<readonly string[]> {
  const { body } = await ada.get(`${LOOM}/git/trees/${branch}`);
  return body.tree.map(({ path }: { path: string }) => path);
}

test('a revert of a merge takes back what its branch brought', async (t) => {
  const loom = await startMerged(t);
  const { ada, merged } = loom;
  const { status, text, body } = await ada.post(`${LOOM}/commits/${merged}/revert`, { branch: 'main' });
  assert.equal(status, 201, text);
  assert.deepEqual(await filesOf(loom, 'main'), ['both.txt', 'plan.txt', 'root.txt']);
  assert.equal((await ada.get(`${LOOM}/raw/both.txt?ref=main`)).text, 'one\n');
  const commit = (await ada.get(`${LOOM}/git/commits/${body.sha}`)).body;
  assert.deepEqual(
    commit.parents.map(({ sha }: { sha: string }) => sha),
    [merged],
  );
  assert.match(commit.commit.message, /^Revert "Merge work"/);
  // The base has the changes no more, so they can be taken again.
  assert.equal((await ada.post(`${LOOM}/commits/${body.sha}/revert`, { branch: 'main' })).status, 201);
  assert.deepEqual(await filesOf(loom, 'main'), ['both.txt', 'plan.txt', 'root.txt', 'work.txt']);
});

test('a cherry-pick of a merge makes what its branch brought, in one commit', async (t) => {
  const loom = await startMerged(t);
  const { ada, ask, merged } = loom;
  const pick = `${LOOM}/commits/${merged}/cherry-pick`;
  const { status, text, body } = await ada.post(pick, { branch: 'bare' });
  assert.equal(status, 201, text);
  assert.deepEqual(await filesOf(loom, 'bare'), ['both.txt', 'root.txt', 'work.txt']);
  const commit = (await ada.get(`${LOOM}/git/commits/${body.sha}`)).body;
  assert.deepEqual(
    commit.parents.map(({ sha }: { sha: string }) => sha),
    [await ask('rev-parse', 'bare')],
  );
  // A branch that has the changes, and one without the file that they change.
  assert.equal((await ada.post(pick, { branch: 'work' })).status, 409);
  const refused = await ada.post(pick, { branch: 'island' });
  assert.equal(refused.status, 409);
  assert.match(refused.body.message, /conflicts in both\.txt/);
});

test('a root commit is reverted and picked as the commit that adds all of its files', async (t) => {
  const loom = await startMerged(t);
  const { ada, root } = loom;
  const reverted = await ada.post(`${LOOM}/commits/${root}/revert`, { branch: 'bare' });
  assert.equal(reverted.status, 201, reverted.text);
  assert.deepEqual(await filesOf(loom, reverted.body.sha), []);
  // The branch has changed one of the files since.
  const refused = await ada.post(`${LOOM}/commits/${root}/revert`, { branch: 'main' });
  assert.equal(refused.status, 409);
  assert.match(refused.body.message, /conflicts in both\.txt/);

  const picked = await ada.post(`${LOOM}/commits/${root}/cherry-pick`, { branch: 'island' });
  assert.equal(picked.status, 201, picked.text);
  assert.deepEqual(await filesOf(loom, 'island'), ['both.txt', 'island.txt', 'root.txt']);
  assert.equal((await ada.post(`${LOOM}/commits/${root}/cherry-pick`, { branch: 'island' })).status, 409);
});
