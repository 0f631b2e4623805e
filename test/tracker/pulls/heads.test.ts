import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Person } from '../../support/forge/forge.ts';
import {
  commitFile,
  delayJobs,
  ENGINE,
  entriesOf,
  FORK,
  forkEngine,
  merge,
  openPull,
  PULLS,
  settle,
  startEngine,
  tipOf,
} from './pulls.ts';

/** Returns the facts about the branches of a pull request. */
async function endsOf(who: Person, number = 1) {
  const { state, base, head } = (await who.get(`${PULLS}/${number}`)).body;
  return { state, base: base.ref, head: head.ref, label: head.label, sha: head.sha };
}

/** Makes branches with a file each, and a pull request by ben from each of them. @returns the commits */
async function openPulls(ben: Person, ...branches: readonly string[]): Promise<readonly string[]> {
  const commits: string[] = [];
  for (const branch of branches) {
    commits.push(await commitFile(ben, `${branch}.txt`, `${branch}\n`, { branch, from: 'main' }));
    await openPull(ben, { head: branch });
  }
  return commits;
}

test('pull requests follow the new name of their head, unless they are merged', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  const [merged = ''] = await openPulls(ben, 'pump');
  assert.equal((await merge(ada)).status, 200);
  const second = await commitFile(ben, 'valve.txt', 'valve\n', { branch: 'pump' });
  await openPull(ben);
  await openPulls(ben, 'gauge');
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'release' });
  await openPull(ben, { base: 'release' });
  await ben.patch(`${PULLS}/4`, { state: 'closed' });
  await settle(forge);
  assert.equal((await ada.patch(`${ENGINE}/branches/pump`, { name: 'tap' })).status, 204);
  await settle(forge);
  const renamed = { state: 'open', base: 'main', head: 'tap', label: 'tap', sha: second };
  assert.deepEqual(await endsOf(ben, 2), renamed);
  const { label, sha } = await endsOf(ben, 1);
  assert.deepEqual([label, sha], ['pump', merged]);
  assert.equal((await endsOf(ben, 3)).head, 'gauge');
  assert.deepEqual(await endsOf(ben, 4), { ...renamed, state: 'closed', base: 'release' });
  const pushed = await commitFile(ben, 'dial.txt', 'dial\n', { branch: 'tap' });
  assert.deepEqual(await endsOf(ben, 2), { ...renamed, sha: pushed });
});

test('pull requests follow the new name of their base, unless they are merged', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await openPulls(ben, 'pump', 'valve', 'gauge');
  assert.equal((await merge(ada, {}, 1)).status, 200);
  assert.equal((await ben.patch(`${PULLS}/3`, { state: 'closed' })).status, 201);
  assert.equal((await ada.patch(`${ENGINE}/branches/main`, { name: 'trunk' })).status, 204);
  await settle(forge);
  const bases = [1, 2, 3].map(async (number) => {
    const { state, base } = await endsOf(ben, number);
    return [state, base];
  });
  assert.deepEqual(await Promise.all(bases), [
    ['closed', 'main'],
    ['open', 'trunk'],
    ['closed', 'trunk'],
  ]);
  assert.equal((await ben.patch(`${PULLS}/3`, { state: 'open' })).status, 201);
  assert.equal((await merge(ada, {}, 2)).status, 200);
  assert.equal((await ada.get(`${ENGINE}/contents/valve.txt?ref=trunk`)).status, 200);
});

test('a pull request from a fork follows the new name of its head', async (t) => {
  const { forge, ada, cyd } = await startEngine(t);
  await forkEngine(cyd);
  await openPull(cyd, { head: 'cyd:pump' });
  assert.equal((await cyd.patch(`${FORK}/branches/pump`, { name: 'tap' })).status, 204);
  const pushed = await commitFile(cyd, 'valve.txt', 'valve\n', { repository: FORK, branch: 'tap' });
  await settle(forge);
  const { state, head, sha } = await endsOf(ada);
  assert.deepEqual([state, head, sha], ['open', 'tap', pushed]);
});

test('a closed pull request is reopened with the present tip when its branch is back', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  const [first = ''] = await openPulls(ben, 'pump');
  assert.equal((await ada.delete(`${ENGINE}/branches/pump`)).status, 204);
  await settle(forge);
  const gone = { state: 'closed', base: 'main', head: 'refs/pull/1/head', label: 'pump', sha: first };
  assert.deepEqual(await endsOf(ben), gone);
  assert.equal((await ben.patch(`${PULLS}/1`, { state: 'open' })).status, 422);

  const second = await commitFile(ben, 'valve.txt', 'valve\n', { branch: 'pump', from: 'main' });
  await settle(forge);
  assert.deepEqual(await endsOf(ben), { ...gone, head: 'pump' }, 'a new branch reopens nothing');
  assert.equal((await ben.patch(`${PULLS}/1`, { state: 'open' })).status, 201);
  await settle(forge);
  assert.deepEqual(await endsOf(ben), { ...gone, state: 'open', head: 'pump', sha: second });
  assert.equal((await ada.get(`${ENGINE}/git/refs/pull/1/head`)).body.object.sha, second);
});

test('deleting a branch closes the pull requests to it, and no others', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'release' });
  await openPulls(ben, 'pump', 'valve');
  await openPull(ben, { base: 'release' });
  assert.equal((await ada.delete(`${ENGINE}/branches/release`)).status, 204);
  await settle(forge);
  const states = [1, 2, 3].map(async (number) => (await endsOf(ben, number)).state);
  assert.deepEqual(await Promise.all(states), ['open', 'open', 'closed']);
  assert.equal((await ben.patch(`${PULLS}/3`, { state: 'open' })).status, 422, 'its base is gone');
});

test('a branch that is deleted and soon made again keeps its pull requests open', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'release' });
  await openPulls(ben, 'pump');
  await openPull(ben, { base: 'release' });
  await settle(forge);
  const runJobs = delayJobs(t, forge);
  for (const branch of ['pump', 'release'])
    assert.equal((await ada.delete(`${ENGINE}/branches/${branch}`)).status, 204);
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'release' });
  const pushed = await commitFile(ben, 'valve.txt', 'valve\n', { branch: 'pump', from: 'main' });
  await runJobs();
  for (const number of [1, 2]) {
    const { state, head, sha } = await endsOf(ben, number);
    assert.deepEqual([state, head, sha], ['open', 'pump', pushed]);
  }
});

test('the timeline has the commits of a push to the head, or both heads of a forced one', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  const [first = ''] = await openPulls(ben, 'pump');
  const main = await tipOf(ada);
  const pushed = await commitFile(ben, 'valve.txt', 'valve\n', { branch: 'pump' });
  await settle(forge);
  const move = async (sha: string) => {
    const { status, text } = await ben.patch(`${ENGINE}/git/refs/heads/pump`, { sha, force: true });
    assert.equal(status, 200, text);
    await settle(forge);
  };
  await move(first);
  const other = await commitFile(ben, 'gauge.txt', 'gauge\n', { branch: 'other', from: 'main' });
  await move(other);
  const pushes = (await entriesOf(ada, 1, 'pull_push')).map(({ body }) => JSON.parse(body));
  assert.deepEqual(pushes, [
    { is_force_push: false, commit_ids: [pushed] },
    { is_force_push: true, commit_ids: [pushed, first] },
    { is_force_push: true, commit_ids: [first, other] },
  ]);
  assert.equal(await tipOf(ada), main);
});

test('a user whom the owner of the base has blocked does not move the head of an own pull request', async (t) => {
  const { forge, ada, cyd } = await startEngine(t);
  const first = await forkEngine(cyd);
  await openPull(cyd, { head: 'cyd:pump' });
  await cyd.patch(`${PULLS}/1`, { allow_maintainer_edit: true });
  await ada.put('/api/v1/user/block/cyd');

  await commitFile(cyd, 'valve.txt', 'valve\n', { repository: FORK, branch: 'pump' });
  await settle(forge);
  assert.deepEqual([(await endsOf(ada)).sha, await entriesOf(ada, 1, 'pull_push')], [first, []]);

  const byAda = await commitFile(ada, 'dial.txt', 'dial\n', { repository: FORK, branch: 'pump' });
  await settle(forge);
  assert.equal((await endsOf(ada)).sha, byAda);
  await ada.put('/api/v1/user/unblock/cyd');
  const again = await commitFile(cyd, 'gauge.txt', 'gauge\n', { repository: FORK, branch: 'pump' });
  await settle(forge);
  assert.equal((await endsOf(ada)).sha, again);
});
