import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Person } from '../../support/forge/forge.ts';
import { commitFile, ENGINE, openPull, PULLS, settle, startEngine } from './pulls.ts';

const MERGE = { Do: 'merge', delete_branch_after_merge: true };

/** Starts with pull request 1 from `pump` to `main`, and its child 2 from `valve` to `pump`. */
async function startFamily(t: Parameters<typeof startEngine>[0]) {
  const engine = await startEngine(t);
  const { ben } = engine;
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await commitFile(ben, 'valve.txt', 'valve\n', { branch: 'valve', from: 'pump' });
  await openPull(ben);
  await openPull(ben, { head: 'valve', base: 'pump' });
  return engine;
}

async function childOf(who: Person) {
  const { state, base } = (await who.get(`${PULLS}/2`)).body;
  return [state, base.ref];
}

async function retargetsOf(who: Person): Promise<number> {
  const timeline = (await who.get(`${ENGINE}/issues/2/timeline`)).body;
  return timeline.filter(({ type }: { type: string }) => type === 'change_target_branch').length;
}

test('a child gets the base of the merged pull request when its own base is deleted', async (t) => {
  const { forge, ada, ben } = await startFamily(t);
  assert.equal((await ben.post(`${PULLS}/1/merge`, MERGE)).status, 200);
  await settle(forge);
  assert.equal((await ada.get(`${ENGINE}/branches/pump`)).status, 404);
  assert.deepEqual(await childOf(ada), ['open', 'main']);
  assert.equal(await retargetsOf(ada), 1);
});

test('a child retains its base if a protection forbids to delete the branch', async (t) => {
  const { forge, ada, ben } = await startFamily(t);
  await ada.post(`${ENGINE}/branch_protections`, { rule_name: 'pump', enable_push: true });
  assert.equal((await ben.post(`${PULLS}/1/merge`, MERGE)).status, 403);
  await settle(forge);
  assert.equal((await ada.get(`${PULLS}/1`)).body.merged, true);
  assert.equal((await ada.get(`${ENGINE}/branches/pump`)).status, 200);
  assert.deepEqual(await childOf(ada), ['open', 'pump']);
  assert.equal(await retargetsOf(ada), 0);
});

test('a child retains its base if the branch is the default branch', async (t) => {
  const { forge, ada, ben } = await startFamily(t);
  await ada.patch(ENGINE, { default_branch: 'pump' });
  assert.equal((await ben.post(`${PULLS}/1/merge`, MERGE)).status, 403);
  await settle(forge);
  assert.deepEqual(await childOf(ada), ['open', 'pump']);
});

test('a child retains its base if the branch is the head of another open pull request', async (t) => {
  const { forge, ada, ben } = await startFamily(t);
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'next', old_ref_name: 'main' });
  await openPull(ben, { base: 'next' });
  assert.equal((await ben.post(`${PULLS}/1/merge`, MERGE)).status, 200);
  await settle(forge);
  assert.equal((await ada.get(`${ENGINE}/branches/pump`)).status, 200);
  assert.deepEqual(await childOf(ada), ['open', 'pump']);
});

test('approvals for the former base of a child do not count for a base that takes only fresh ones', async (t) => {
  const { forge, ada, ben } = await startFamily(t);
  const rule = { rule_name: 'main', required_approvals: 1, dismiss_stale_approvals: true };
  assert.equal((await ada.post(`${ENGINE}/branch_protections`, rule)).status, 201);
  assert.equal((await ada.post(`${PULLS}/2/reviews`, { event: 'APPROVED' })).status, 200);
  assert.equal((await ada.post(`${PULLS}/1/merge`, { ...MERGE, force_merge: true })).status, 200);
  await settle(forge);
  assert.deepEqual(await childOf(ada), ['open', 'main']);
  const { status, body } = await ben.post(`${PULLS}/2/merge`, { Do: 'merge' });
  assert.equal(status, 405);
  assert.match(body.message, /approval/);
});
