import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { PULL_LIMITS } from '../../../src/tracker/pulls/limits.ts';
import type { Person } from '../../support/forge/forge.ts';
import type { Wire } from '../issues/tracker.ts';
import {
  commitFile,
  delayJobs,
  ENGINE,
  entriesOf,
  FORK,
  merge,
  PULLS,
  protect,
  settle,
  startDiverged,
  startForkPull,
} from './pulls.ts';

const NEEDS_STATUS = { enable_status_check: true, status_check_contexts: ['ci'] };
const WISH = { merge_when_checks_succeed: true };

/** Protects `main` so that heads need a status, and schedules the merge of the first pull request. */
async function schedule(ada: Person, merger: Person): Promise<void> {
  await protect(ada, NEEDS_STATUS);
  const { status, text } = await merge(merger, WISH);
  assert.equal(status, 201, text);
}

/** Starts with a pull request by ben, whose merge ben has scheduled until its head has a status. */
async function startScheduled(t: TestContext) {
  const engine = await startDiverged(t);
  await schedule(engine.ada, engine.ben);
  return engine;
}

/** Reports that a commit is good. */
async function pass(who: Person, commit: string): Promise<void> {
  const { status, text } = await who.post(`${ENGINE}/statuses/${commit}`, {
    state: 'success',
    context: 'ci',
  });
  assert.equal(status, 201, text);
}

async function isMerged(who: Person): Promise<boolean> {
  return (await who.get(`${PULLS}/1`)).body.merged;
}

/** Returns the entries about scheduled merges in the timeline, each with its author. */
async function changesOf(who: Person): Promise<readonly (readonly [string, string])[]> {
  const found = await entriesOf(who, 1, 'pull_scheduled_merge', 'pull_cancel_scheduled_merge');
  return found.map(({ type, user }) => [type, user.login]);
}

test('a scheduled merge happens when the statuses allow it, and adds no other entry', async (t) => {
  const { forge, ada, ben, cyd, head } = await startScheduled(t);
  assert.equal((await merge(ben, WISH)).status, 409);
  assert.equal((await cyd.delete(`${PULLS}/1/merge`)).status, 403);
  await settle(forge);
  assert.equal((await ben.get(`${PULLS}/1/merge`)).status, 404);
  await pass(ada, head);
  await settle(forge);
  const read = (await ben.get(`${PULLS}/1`)).body;
  assert.deepEqual([read.merged, read.merged_by.login], [true, 'ben']);
  assert.deepEqual(await changesOf(ada), [['pull_scheduled_merge', 'ben']]);
});

test('a scheduled merge follows the head if a user who may write the base has pushed', async (t) => {
  const { forge, ada, ben, head } = await startScheduled(t);
  const pushed = await commitFile(ada, 'gauge.txt', 'gauge\n', { branch: 'pump' });
  await settle(forge);
  await pass(ada, head);
  await settle(forge);
  assert.equal(await isMerged(ben), false, 'the status is of the earlier head');
  await pass(ada, pushed);
  await settle(forge);
  const { merged, merged_by: by, head: now } = (await ben.get(`${PULLS}/1`)).body;
  assert.deepEqual([merged, by.login, now.sha], [true, 'ben', pushed]);
  assert.deepEqual(await changesOf(ada), [['pull_scheduled_merge', 'ben']]);
});

test('a push of a user who may not write the base cancels a scheduled merge', async (t) => {
  const { forge, ada, ben, cyd } = await startForkPull(t);
  await schedule(ada, ben);
  const pushed = await commitFile(cyd, 'gauge.txt', 'gauge\n', { repository: FORK, branch: 'pump' });
  await settle(forge);
  assert.deepEqual(await changesOf(ada), [
    ['pull_scheduled_merge', 'ben'],
    ['pull_cancel_scheduled_merge', 'cyd'],
  ]);
  await pass(ada, pushed);
  await settle(forge);
  assert.equal(await isMerged(ada), false);
  assert.equal((await ben.delete(`${PULLS}/1/merge`)).status, 404);
});

test('an update of a fork cancels a scheduled merge, because the head may get commits of others with it', async (t) => {
  const { forge, ada, ben, cyd } = await startForkPull(t);
  await commitFile(ada, 'plan.md', 'plan\n');
  await cyd.patch(`${PULLS}/1`, { allow_maintainer_edit: true });
  await schedule(ada, ben);
  // What opening it has requested must not fetch the head.
  await settle(forge);
  const runDelayed = delayJobs(t, forge);
  await commitFile(cyd, 'gauge.txt', 'gauge\n', { repository: FORK, branch: 'pump' });
  assert.equal((await ben.post(`${PULLS}/1/update`)).status, 200);
  await runDelayed();
  assert.deepEqual(await changesOf(ada), [
    ['pull_scheduled_merge', 'ben'],
    ['pull_cancel_scheduled_merge', 'ben'],
  ]);
});

/** What cancels a scheduled merge, and the user whom the timeline names. */
const CANCELLATIONS: Readonly<
  Record<string, readonly [(stage: Awaited<ReturnType<typeof startScheduled>>) => Promise<unknown>, string]>
> = {
  'its author cancels it': [({ ben }) => ben.delete(`${PULLS}/1/merge`), 'ben'],
  'an administrator cancels it': [({ ada }) => ada.delete(`${PULLS}/1/merge`), 'ada'],
  'the pull request is closed': [({ ada }) => ada.patch(`${PULLS}/1`, { state: 'closed' }), 'ada'],
  'the pull request gets another base': [
    async ({ ada, ben }) => {
      await ada.post(`${ENGINE}/branches`, { new_branch_name: 'release' });
      await ben.patch(`${PULLS}/1`, { base: 'release' });
    },
    'ben',
  ],
};

for (const [what, [cancel, by]] of Object.entries(CANCELLATIONS)) {
  test(`a scheduled merge does not happen after ${what}`, async (t) => {
    const stage = await startScheduled(t);
    const { forge, ada, ben, head } = stage;
    await cancel(stage);
    assert.deepEqual(await changesOf(ada), [
      ['pull_scheduled_merge', 'ben'],
      ['pull_cancel_scheduled_merge', by],
    ]);
    assert.equal((await ben.delete(`${PULLS}/1/merge`)).status, 404);
    await pass(ada, head);
    await settle(forge);
    assert.equal(await isMerged(ada), false);
  });
}

test('a scheduled merge is canceled when the token is gone that asked for it', async (t) => {
  const { forge, ada, ben, head } = await startDiverged(t);
  const token = await ben.tokenFor(['all']);
  await protect(ada, NEEDS_STATUS);
  const sent = { as: { token }, json: { Do: 'merge', ...WISH } };
  assert.equal((await forge.send('POST', `${PULLS}/1/merge`, sent)).status, 201);
  const tokens: readonly Wire[] = (
    await forge.get('/api/v1/users/ben/tokens', { as: { name: 'ben', password: ben.password } })
  ).body;
  const { id } = tokens.find(({ token_last_eight: end }) => token.endsWith(end)) ?? {};
  const deleted = await forge.send('DELETE', `/api/v1/users/ben/tokens/${id}`, {
    as: { name: 'ben', password: ben.password },
  });
  assert.equal(deleted.status, 204);
  await pass(ada, head);
  await settle(forge);
  assert.equal(await isMerged(ada), false);
  const [, [kind, by] = []] = await changesOf(ada);
  assert.deepEqual([kind, by], ['pull_cancel_scheduled_merge', 'Ghost']);
});

test('a scheduled merge is canceled with the pull request if its branch is deleted', async (t) => {
  const { forge, ada, ben } = await startScheduled(t);
  assert.equal((await ben.delete(`${ENGINE}/branches/pump`)).status, 204);
  await settle(forge);
  assert.equal((await ada.get(`${PULLS}/1`)).body.state, 'closed');
  assert.deepEqual(await changesOf(ada), [
    ['pull_scheduled_merge', 'ben'],
    ['pull_cancel_scheduled_merge', 'ben'],
  ]);
  assert.equal((await ben.delete(`${PULLS}/1/merge`)).status, 404);
});

test('scheduled merges are tried now and then, because rules change without an event for them', async (t) => {
  const { forge, ada } = await startScheduled(t);
  assert.equal((await ada.delete(`${ENGINE}/branch_protections/main`)).status, 204);
  await settle(forge);
  assert.equal(await isMerged(ada), false);
  await forge.forge.running.services.jobs.runDue({ aheadMs: PULL_LIMITS.scheduledTriedEveryMs });
  assert.equal(await isMerged(ada), true);
});

test('an approval that counts again lets a scheduled merge happen, and adds no entry', async (t) => {
  const { forge, ada, ben } = await startDiverged(t);
  await protect(ada, { required_approvals: 1 });
  const { id } = (await ada.post(`${PULLS}/1/reviews`, { event: 'APPROVED' })).body;
  const at = `${PULLS}/1/reviews/${id}`;
  assert.equal((await ada.post(`${at}/dismissals`, { message: 'No.' })).status, 200);
  assert.equal((await merge(ben, WISH)).status, 201);
  await settle(forge);
  assert.equal(await isMerged(ada), false);
  assert.equal((await ada.post(`${at}/undismissals`)).status, 200);
  await settle(forge);
  assert.equal(await isMerged(ada), true);
  assert.equal((await entriesOf(ada, 1, 'dismiss_review')).length, 1);
});

test('a push cancels the scheduled merge of a named commit', async (t) => {
  const { forge, ada, ben, head } = await startDiverged(t);
  await protect(ada, NEEDS_STATUS);
  assert.equal((await merge(ben, { ...WISH, head_commit_id: head })).status, 201);
  const pushed = await commitFile(ada, 'valve.txt', 'valve\n', { branch: 'pump' });
  await pass(ada, pushed);
  await settle(forge);
  assert.equal(await isMerged(ben), false);
  assert.deepEqual(await changesOf(ada), [
    ['pull_scheduled_merge', 'ben'],
    ['pull_cancel_scheduled_merge', 'ada'],
  ]);
});

test('a scheduled merge stays when its base gets another name', async (t) => {
  const { forge, ada, ben, head } = await startScheduled(t);
  assert.equal((await ada.patch(`${ENGINE}/branches/main`, { name: 'trunk' })).status, 204);
  await pass(ada, head);
  await settle(forge);
  assert.equal(await isMerged(ben), true);
});
