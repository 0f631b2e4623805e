import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FaultPoint } from '../../../src/base/core/faults.ts';
import { placeOf, prepareSite, type Site, serveSite } from '../../code/transport/server-process.ts';
import { endLeases, holdJobs, releaseJobs } from '../../support/database/job-leases.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { request } from '../../support/http/http.ts';
import { commitFile, settle } from './pulls.ts';

const ENGINE = '/api/v1/repos/root/engine';
const PULLS = `${ENGINE}/pulls`;
const TIMEOUT_MS = 5 * 60_000;

/** A request that kills the server, by name; and what is prepared before on another one. */
interface Work {
  readonly prepare: (root: Person) => Promise<void>;
  readonly send: readonly [method: string, path: string, body: unknown];
  /** Requires one result: all or nothing of it. @param isDone whether the server may have acknowledged it */
  readonly requireOneResult: (forge: TestForge) => Promise<void>;
}

const open = { title: 'Pump', base: 'main', head: 'pump' };
const content = Buffer.from('valve\n').toString('base64');

async function tipOf({ root }: TestForge, branch: string): Promise<string> {
  return (await root.get(`${ENGINE}/branches/${branch}`)).body.commit.id;
}

async function headRefOf({ root }: TestForge): Promise<string | undefined> {
  const { status, body } = await root.get(`${ENGINE}/git/refs/pull/1/head`);
  return status === 200 ? body.object.sha : undefined;
}

/** Requires that the record of a pull request and the base agree on whether it is merged. */
async function requireMergedOrNot(forge: TestForge): Promise<void> {
  const { merged, state, merge_commit_sha: sha } = (await forge.root.get(`${PULLS}/1`)).body;
  const hasPump = (await forge.root.get(`${ENGINE}/contents/pump.txt`)).status === 200;
  assert.deepEqual([merged, state], hasPump ? [true, 'closed'] : [false, 'open']);
  if (hasPump) assert.equal(sha, await tipOf(forge, 'main'));
  if (!hasPump) assert.equal((await forge.root.post(`${PULLS}/1/merge`, { Do: 'merge' })).status, 200);
}

const startPull = async (root: Person) => {
  assert.equal((await root.post(PULLS, open)).status, 201);
};

const WORKS: Readonly<Record<string, Work>> = {
  create: {
    prepare: async () => {},
    send: ['POST', PULLS, open],
    async requireOneResult(forge) {
      const { status } = await forge.root.get(`${PULLS}/1`);
      assert.equal(await headRefOf(forge), status === 200 ? await tipOf(forge, 'pump') : undefined);
      assert.equal((await forge.root.post(PULLS, open)).status, status === 200 ? 409 : 201);
    },
  },
  'push to head': {
    prepare: startPull,
    send: ['POST', `${ENGINE}/contents/valve.txt`, { content, branch: 'pump' }],
    async requireOneResult(forge) {
      await settle(forge);
      const tip = await tipOf(forge, 'pump');
      assert.equal(await headRefOf(forge), tip);
      const { head, mergeable } = (await forge.root.get(`${PULLS}/1`)).body;
      assert.deepEqual([head.sha, mergeable], [tip, true]);
    },
  },
  merge: {
    prepare: startPull,
    send: ['POST', `${PULLS}/1/merge`, { Do: 'merge', delete_branch_after_merge: true }],
    requireOneResult: requireMergedOrNot,
  },
  'scheduled merge': {
    async prepare(root) {
      await startPull(root);
      const rule = {
        rule_name: 'main',
        enable_push: true,
        enable_status_check: true,
        status_check_contexts: ['ci'],
      };
      assert.equal((await root.post(`${ENGINE}/branch_protections`, rule)).status, 201);
      const wish = { Do: 'squash', merge_when_checks_succeed: true };
      assert.equal((await root.post(`${PULLS}/1/merge`, wish)).status, 201);
    },
    send: ['POST', `${ENGINE}/statuses/pump`, { state: 'success', context: 'ci' }],
    async requireOneResult(forge) {
      await settle(forge);
      await requireMergedOrNot(forge);
    },
  },
};

async function killDuring(t: TestContext, work: Work, point: FaultPoint): Promise<void> {
  const site: Site = await prepareSite(t);
  const first = await startForge(t, placeOf(site));
  assert.equal(
    (await first.root.post('/api/v1/user/repos', { name: 'engine', auto_init: true })).status,
    201,
  );
  await commitFile(first.root, 'pump.txt', 'pump\n', { repository: ENGINE, branch: 'pump', from: 'main' });
  await work.prepare(first.root);
  await settle(first);
  await first.forge.stop();

  const { url, running } = await serveSite(t, site, { QUIRE_FAULT: point });
  const [method, path, json] = work.send;
  await request(method, `${url}${path}`, { as: site.admin, json }).catch(() => undefined);
  assert.deepEqual(await running.ended(), { code: null, signal: 'SIGKILL' }, point);

  await endLeases(site);
  await work.requireOneResult(await startForge(t, placeOf(site)));
}

for (const [name, work] of Object.entries(WORKS)) {
  test(`a server killed during this leaves one result, never half of it: ${name}`, {
    timeout: TIMEOUT_MS,
  }, async (t) => {
    for (const point of ['before-commit', 'after-commit'] as const) await killDuring(t, work, point);
  });
}

test('a push that merges a pull request is noticed, also if a reader asks for the pull request first', {
  timeout: TIMEOUT_MS,
}, async (t) => {
  const site = await prepareSite(t);
  const first = await startForge(t, placeOf(site));
  await first.root.post('/api/v1/user/repos', { name: 'engine', auto_init: true });
  await first.root.patch(ENGINE, { autodetect_manual_merge: true });
  await commitFile(first.root, 'pump.txt', 'pump\n', { repository: ENGINE, branch: 'pump', from: 'main' });
  await startPull(first.root);
  const sha = await tipOf(first, 'pump');
  await settle(first);
  await first.forge.stop();

  // The job that looks for merges waits, as behind others.
  const { url, running } = await serveSite(t, site, { QUIRE_FAULT: 'after-commit' });
  const push = request('PATCH', `${url}${ENGINE}/git/refs/heads/main`, { as: site.admin, json: { sha } });
  await push.catch(() => undefined);
  assert.deepEqual(await running.ended(), { code: null, signal: 'SIGKILL' });
  await holdJobs(site);
  const forge = await startForge(t, placeOf(site));
  assert.equal((await forge.root.get(`${PULLS}/1`)).body.state, 'open');
  await releaseJobs(site);
  await settle(forge);
  const { merged, state, merge_commit_sha: mergedAs } = (await forge.root.get(`${PULLS}/1`)).body;
  assert.deepEqual([merged, state, mergedAs], [true, 'closed', sha]);
});
