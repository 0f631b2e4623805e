import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { afterTest } from '../../support/after-test.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import type { Answer } from '../../support/http/http.ts';
import type { Wire } from '../issues/tracker.ts';

export const ENGINE = '/api/v1/repos/ada/engine';
export const PULLS = `${ENGINE}/pulls`;
/** cyd's fork of `engine` */
export const FORK = '/api/v1/repos/cyd/engine';

/** Runs the jobs of a forge until none is due: what a push does to pull requests is done then. */
export async function settle(forge: TestForge): Promise<void> {
  await forge.forge.running.services.jobs.runDue();
}

const DELAY_MS = 60 * 60_000;

/** Delays the jobs that changes request from now on. @returns runs them, and the jobs that they request */
export function delayJobs(t: TestContext, { forge }: TestForge): () => Promise<void> {
  const { jobs } = forge.running.services;
  const { enqueueAll } = jobs;
  const restore = () => {
    jobs.enqueueAll = enqueueAll;
  };
  jobs.enqueueAll = (tx, kind, all) =>
    enqueueAll.call(
      jobs,
      tx,
      kind,
      all.map((job) => ({ ...job, delayMs: DELAY_MS })),
    );
  afterTest(t, restore);
  return async () => {
    restore();
    await jobs.runDue({ aheadMs: DELAY_MS });
  };
}

/** Runs `work` while the next merge is built: its head is known, and its commits are not written. */
export function duringNextMerge(t: TestContext, { forge }: TestForge, work: () => Promise<unknown>): void {
  const { accounts } = forge.running.services;
  const { commitPerson } = accounts;
  const restore = () => {
    accounts.commitPerson = commitPerson;
  };
  accounts.commitPerson = async (id) => {
    restore();
    await work();
    return commitPerson.call(accounts, id);
  };
  afterTest(t, restore);
}

/**
 * Starts a forge with ada's repository `engine`, whose branch `main` has the file `README.md`. ben may write to it, and cyd
 * may only read it.
 */
export async function startEngine(t: TestContext) {
  const forge = await startForge(t);
  const [ada, ben, cyd] = [
    await forge.account('ada'),
    await forge.account('ben'),
    await forge.account('cyd'),
  ];
  await ada.repository('engine', { auto_init: true });
  await ada.put(`${ENGINE}/collaborators/ben`, { permission: 'write' });
  return { forge, ada, ben, cyd };
}

/** Commits a file to a branch over the API. The branch begins at `main` if it does not exist. @returns the commit */
export async function commitFile(
  who: Person,
  path: string,
  text: string,
  {
    repository = ENGINE,
    branch = 'main',
    from,
  }: { repository?: string; branch?: string; from?: string } = {},
): Promise<string> {
  const known = await who.get(`${repository}/contents/${path}?ref=${from ?? branch}`);
  const body = {
    content: Buffer.from(text).toString('base64'),
    ...(from === undefined ? { branch } : { branch: from, new_branch: branch }),
    ...(known.status === 200 ? { sha: known.body.sha } : {}),
    message: `Write ${path}`,
  };
  const url = `${repository}/contents/${path}`;
  const sent = known.status === 200 ? await who.put(url, body) : await who.post(url, body);
  assert.ok(sent.status === 200 || sent.status === 201, sent.text);
  return sent.body.commit.sha;
}

/** Opens a pull request, and returns its record. */
export async function openPull(who: Person, fields: Record<string, unknown> = {}): Promise<Wire> {
  const opened = await who.post(PULLS, { title: 'Add a pump', base: 'main', head: 'pump', ...fields });
  assert.equal(opened.status, 201, opened.text);
  return opened.body;
}

/** Makes cyd's fork of `engine`, with a branch that adds a file of its name. @returns the commit */
export async function forkEngine(cyd: Person, branch = 'pump'): Promise<string> {
  const forked = await cyd.post(`${ENGINE}/forks`, {});
  assert.equal(forked.status, 202, forked.text);
  return commitFile(cyd, `${branch}.txt`, `${branch}\n`, { repository: FORK, branch, from: 'main' });
}

/** Starts a forge as `startEngine` does, with cyd's pull request from the branch `pump` of a fork. */
export async function startForkPull(t: TestContext) {
  const engine = await startEngine(t);
  const head = await forkEngine(engine.cyd);
  await openPull(engine.cyd, { head: 'cyd:pump' });
  return { ...engine, head };
}

/** Sends a request for a merge. */
export function merge(who: Person, fields: Record<string, unknown> = {}, number = 1): Promise<Answer> {
  return who.post(`${PULLS}/${number}/merge`, { Do: 'merge', ...fields });
}

/** Protects a branch with a rule of these fields. @param options.name of the branch, or a glob */
export async function protect(
  who: Person,
  fields: Readonly<Record<string, unknown>> = {},
  { name = 'main', repository = ENGINE }: { readonly name?: string; readonly repository?: string } = {},
): Promise<void> {
  const added = await who.post(`${repository}/branch_protections`, { rule_name: name, ...fields });
  assert.equal(added.status, 201, added.text);
}

/** Returns the entries of some kinds in the timeline of a pull request. */
export async function entriesOf(
  who: Person,
  number: number,
  ...kinds: readonly string[]
): Promise<readonly Wire[]> {
  const timeline: readonly Wire[] = (await who.get(`${ENGINE}/issues/${number}/timeline`)).body;
  return timeline.filter(({ type }) => kinds.includes(type));
}

export async function tipOf(who: Person, branch = 'main', repository = ENGINE): Promise<string> {
  const { status, body, text } = await who.get(`${repository}/branches/${branch}`);
  assert.equal(status, 200, text);
  return body.commit.id;
}

/** Returns a commit with the ids of its parents. */
export async function commitOf(who: Person, sha: string) {
  const { body } = await who.get(`${ENGINE}/git/commits/${sha}`);
  return { parents: body.parents.map((parent: { sha: string }) => parent.sha), ...body.commit };
}

/** Starts with a pull request of two commits by ben, whose base has moved on. */
export async function startDiverged(t: TestContext) {
  const engine = await startEngine(t);
  const { ada, ben } = engine;
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  const head = await commitFile(ben, 'valve.txt', 'valve\n', { branch: 'pump' });
  const base = await commitFile(ada, 'plan.md', 'plan\n');
  await openPull(ben);
  return { ...engine, head, base };
}
