import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transfersOf } from '../../code/transport/transfers.ts';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';

/** Creates ada's repository `engine` and ben's fork of it. */
async function startForked(t: Parameters<typeof startForge>[0], options: Record<string, unknown> = {}) {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine', { auto_init: true, ...options });
  await ada.put('/api/v1/repos/ada/engine/collaborators/ben', { permission: 'read' });
  const created = await ben.post('/api/v1/repos/ada/engine/forks', {});
  assert.equal(created.status, 202, created.text);
  return { forge, ada, ben };
}

const FORK = '/api/v1/repos/ben/engine';

let count = 0;
/** Adds a file in one commit. @returns the oid of the commit */
async function commit(who: Person, path: string, branch = 'main'): Promise<string> {
  count += 1;
  const created = await who.post(`/api/v1/repos/${path}/contents/file-${count}`, {
    content: '',
    branch,
  });
  assert.equal(created.status, 201, created.text);
  return created.body.commit.sha;
}

const mergeUpstream = (who: Person, branch?: string) =>
  who.post(`${FORK}/merge-upstream`, branch === undefined ? {} : { branch });

test("merge-upstream moves a branch to the parent's commit if it has no other commits", async (t) => {
  const { ada, ben } = await startForked(t);
  await commit(ada, 'ada/engine');
  const last = await commit(ada, 'ada/engine');
  const { body: before } = await ben.get(`${FORK}/sync_fork`);
  assert.deepEqual([before.allowed, before.commits_behind, before.base_commit], [true, 2, last]);

  const merged = await mergeUpstream(ben, 'main');

  assert.equal(merged.status, 200);
  assert.deepEqual(merged.body, { merge_type: 'fast-forward' });
  const { body: after } = await ben.get(`${FORK}/sync_fork/main`);
  assert.deepEqual(after, { allowed: false, commits_behind: 0, base_commit: last, fork_commit: last });
  assert.deepEqual((await mergeUpstream(ben)).body, { merge_type: 'up-to-date' });
});

test('sync_fork also moves the branch: 204, or 400 if it is up to date', async (t) => {
  const { ada, ben } = await startForked(t);
  const last = await commit(ada, 'ada/engine');

  assert.equal((await ben.post(`${FORK}/sync_fork`)).status, 204);
  assert.equal((await ben.get(`${FORK}/sync_fork`)).body.fork_commit, last);
  assert.equal((await ben.post(`${FORK}/sync_fork`)).status, 400);
  const next = await commit(ada, 'ada/engine');
  assert.equal((await ben.post(`${FORK}/sync_fork/main`)).status, 204);
  assert.equal((await ben.get(`${FORK}/sync_fork/main`)).body.fork_commit, next);
});

test('400: a branch that has diverged from the parent does not move', async (t) => {
  const { ada, ben } = await startForked(t);
  await commit(ada, 'ada/engine');
  const mine = await commit(ben, 'ben/engine');

  assert.equal((await mergeUpstream(ben)).status, 400);
  assert.equal((await ben.post(`${FORK}/sync_fork`)).status, 400);
  const { body } = await ben.get(`${FORK}/sync_fork`);
  assert.deepEqual([body.allowed, body.commits_behind, body.fork_commit], [false, 1, mine]);
});

test('a branch ahead of the parent is up to date', async (t) => {
  const { ben } = await startForked(t);
  const mine = await commit(ben, 'ben/engine');

  assert.deepEqual((await mergeUpstream(ben)).body, { merge_type: 'up-to-date' });
  assert.equal((await ben.get(`${FORK}/sync_fork`)).body.fork_commit, mine);
});

test('400: the repository is not a fork; 404: the fork or its parent lacks the branch', async (t) => {
  const { ada, ben } = await startForked(t);
  await ben.repository('plain', { auto_init: true });
  const created = await ada.post('/api/v1/repos/ada/engine/contents/x', { content: '', new_branch: 'a/b' });
  assert.equal(created.status, 201);

  for (const method of ['GET', 'POST'])
    assert.equal((await ben.send(method, '/api/v1/repos/ben/plain/sync_fork')).status, 400);
  assert.equal((await ben.post('/api/v1/repos/ben/plain/merge-upstream', {})).status, 400);
  for (const branch of ['nothing', 'a%2Fb', '..', 'main%00', 'refs%2Fheads%2Fmain', '--all']) {
    for (const method of ['GET', 'POST'])
      assert.equal((await ben.send(method, `${FORK}/sync_fork/${branch}`)).status, 404, branch);
    assert.equal((await mergeUpstream(ben, decodeURIComponent(branch))).status, 404, branch);
  }
  assert.equal((await ben.post(`${FORK}/merge-upstream`, { branch: 5 })).status, 422);
  await ada.delete('/api/v1/repos/ada/engine');
  assert.equal((await mergeUpstream(ben)).status, 400);
});

test('a branch with a slash in its name can be synced', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine', { auto_init: true });
  await ada.post('/api/v1/repos/ada/engine/contents/x', { content: '', new_branch: 'a/b' });
  await ben.post('/api/v1/repos/ada/engine/forks', {});
  const last = await commit(ada, 'ada/engine', 'a/b');

  assert.deepEqual((await mergeUpstream(ben, 'a/b')).body, { merge_type: 'fast-forward' });
  assert.equal((await ben.get(`${FORK}/sync_fork/a%2Fb`)).body.fork_commit, last);
});

test('403: the caller may not push to the fork; 423: the fork is archived', async (t) => {
  const { forge, ada, ben } = await startForked(t);
  await commit(ada, 'ada/engine');

  assert.equal((await mergeUpstream(ada)).status, 403);
  assert.equal((await forge.send('POST', `${FORK}/merge-upstream`, { json: {} })).status, 401);
  assert.equal((await forge.get(`${FORK}/sync_fork`)).status, 200);
  await forge.forge.running.engines.database.transaction((tx) =>
    tx.updateTable('repositories').set({ archived_at: 1 }).where('parent_id', 'is not', null).execute(),
  );
  assert.equal((await mergeUpstream(ben)).status, 423);
  assert.equal((await ben.post(`${FORK}/sync_fork`)).status, 423);
});

test('B8: a fork receives no commits from a parent that its owner can no longer read', async (t) => {
  const { forge, ada, ben } = await startForked(t, { private: true });
  await commit(ada, 'ada/engine');
  const { body: before } = await ben.get(`${FORK}/sync_fork`);
  assert.equal(before.allowed, true);
  const { git: storage } = forge.forge.running.engines;
  const write = storage.writes.begin.bind(storage.writes);
  // Ben loses access after he was authorized, before the branch moves.
  storage.writes.begin = async (id) => {
    storage.writes.begin = write;
    await ada.delete('/api/v1/repos/ada/engine/collaborators/ben');
    return write(id);
  };

  assert.equal((await mergeUpstream(ben)).status, 404);
  await ada.put('/api/v1/repos/ada/engine/collaborators/ben', { permission: 'read' });
  assert.equal((await ben.get(`${FORK}/sync_fork`)).body.fork_commit, before.fork_commit);
  await ada.delete('/api/v1/repos/ada/engine/collaborators/ben');
  for (const method of ['GET', 'POST'])
    assert.equal((await ben.send(method, `${FORK}/sync_fork`)).status, 404);
  assert.equal((await ben.get(FORK)).body.parent, null);
});

test('a sync concurrent with a push moves the branch or is rejected, and loses no commit', async (t) => {
  const { ada, ben } = await startForked(t);
  const theirs = await commit(ada, 'ada/engine');

  const [synced, mine] = await Promise.all([mergeUpstream(ben), commit(ben, 'ben/engine')]);

  const { body } = await ben.get(`${FORK}/sync_fork`);
  if (synced.status === 200) {
    assert.deepEqual([body.commits_behind, body.fork_commit], [0, mine]);
  } else {
    assert.equal(synced.status, 400);
    assert.deepEqual([body.commits_behind, body.base_commit, body.fork_commit], [1, theirs, mine]);
  }
});

test('a commit to a branch does not wait for its syncing', async (t) => {
  const { forge, ada, ben } = await startForked(t);
  await commit(ada, 'ada/engine');
  const { fetch, settings } = transfersOf(forge);
  const slots = await Promise.all(Array.from({ length: settings.fetchSlots }, () => fetch.enter()));

  const syncing = ben.post(`${FORK}/sync_fork`);
  await until(() => fetch.waiting === 1);
  const mine = await commit(ben, 'ben/engine');
  for (const leave of slots) leave();

  assert.equal((await syncing).status, 400, 'the branch has diverged meanwhile');
  assert.equal((await ben.get(`${FORK}/sync_fork`)).body.fork_commit, mine);
});
