import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchCosts } from '../../../src/base/core/costs.ts';
import { fragment, raw } from '../../../src/base/database/fragment.ts';
import { query } from '../../../src/base/database/query.ts';
import { eventsOf } from '../../support/forge/events.ts';
import type { Person, TestForge } from '../../support/forge/forge.ts';
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

/**
 * Adds open pull requests to `pump` from branches that no longer exist, as rows: half of them with a scheduled merge, and all
 * with an approval.
 */
async function addChildren({ forge, ada }: { forge: TestForge; ada: Person }, count: number): Promise<void> {
  const { database } = forge.forge.running.engines;
  const repositoryId: number = (await ada.get(ENGINE)).body.id;
  const accountId: number = (await ada.get('/api/v1/user')).body.id;
  const { sha } = (await ada.get(`${PULLS}/2`)).body.head;
  await database.transaction(async (tx) => {
    for (const statement of [
      fragment`insert into issues (repository_id, number, title, body, is_pull, created_at, updated_at)
        with recursive n (v) as (select 1 union all select v + 1 from n where v < ${count})
        select ${repositoryId}, 100 + v, 'Made', '', 1, 0, 0 from n order by v`,
      fragment`insert into pulls (issue_id, repository_id, number, is_open, flow, base_branch, head_repository_id,
          head_branch, has_head_branch, head_sha)
        select id, repository_id, number, 1, 'branch', 'pump', repository_id, 'made' || number, 0, ${sha} from issues
        where number > 100`,
      fragment`insert into pull_reviews (issue_id, repository_id, account_id, state, commit_sha, created_at, updated_at)
        select id, repository_id, ${accountId}, 'approved', ${sha}, 0, 0 from issues where number > 100`,
      fragment`insert into pull_scheduled_merges (issue_id, account_id, wanted, created_at)
        select id, ${accountId}, '{}', 0 from issues where number > 100 and number % 2 = 0`,
      fragment`update repositories set last_issue_number = ${100 + count}, open_pulls_count = ${2 + count}
        where id = ${repositoryId}`,
    ])
      await query(tx, statement);
  });
}

async function statementsDuring(work: () => Promise<unknown>): Promise<number> {
  let total = 0;
  const unwatch = watchCosts((cost, count) => {
    if (cost === 'statements') total += count;
  });
  await work();
  unwatch();
  return total;
}

test('hundreds of children get the base of the merged pull request with as many statements as a few', async (t) => {
  const totals: number[] = [];
  for (const count of [2, 400]) {
    const engine = await startFamily(t);
    const { forge, ada, ben } = engine;
    const rule = { rule_name: 'main', required_approvals: 1, dismiss_stale_approvals: true };
    assert.equal((await ada.post(`${ENGINE}/branch_protections`, rule)).status, 201);
    await settle(forge);
    await addChildren(engine, count);
    const { jobs, database } = forge.forge.running.services;
    await jobs.stop();
    totals.push(
      await statementsDuring(async () => {
        const merged = await ada.post(`${PULLS}/1/merge`, { ...MERGE, force_merge: true });
        assert.equal(merged.status, 200, merged.text);
      }),
    );
    const counted = async (from: string) =>
      Number((await query<{ n: number }>(database.reader, raw(`select count(*) as n from ${from}`)))[0]?.n);
    assert.equal(await counted(`pulls where base_branch = 'main' and is_open = 1`), count + 1);
    assert.equal(await counted(`pull_reviews where is_dismissed = 0`), 0);
    assert.equal(await counted('pull_scheduled_merges'), 0);
    assert.equal(await counted(`issue_entries where kind = 'change_target_branch'`), count + 1);
    assert.equal(await counted(`issue_entries where kind = 'pull_cancel_scheduled_merge'`), count / 2);
    assert.equal(await counted(`jobs where kind = 'pulls.record-dismissals'`), count);
    assert.equal((await eventsOf(database, 'pull.retargeted')).length, count + 1);
    forge.stopAfterTest();
    assert.equal((await ben.get(`${PULLS}/101`)).body.base.ref, 'main');
  }
  assert.equal(totals[0], totals[1]);
});
