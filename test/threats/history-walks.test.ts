import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { LIMITS } from '../../src/core/limits.ts';
import { type Person, startForge, type TestForge } from '../support/forge.ts';
import { git, workingCopy } from '../support/git.ts';
import { until } from '../support/until.ts';

const MORE_THAN_ONE_WALK = LIMITS.lastCommitStepsMax + 500;

/** A history in which `old` never changes after the first commit and `new` always does. */
function* historyOf(commits: number): Generator<string> {
  for (let mark = 1; mark <= commits; mark += 1) {
    const old = mark === 1 ? 'M 100644 inline old\ndata 3\nold\n' : '';
    const text = `${mark}`;
    yield `commit refs/heads/main\nmark :${mark}\ncommitter A <a@example.org> ${1_700_000_000 + mark} +0000\ndata 0\n`;
    yield `${old}M 100644 inline new\ndata ${text.length}\n${text}\n\n`;
  }
}

interface LongHistory {
  readonly forge: TestForge;
  readonly ada: Person;
  readonly folder: string;
  readonly tip: string;
  readonly root: string;
  readonly url: string;
}

async function pushHistory(t: TestContext, commits: number): Promise<LongHistory> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const folder = await workingCopy(t);
  await git(folder, ['fast-import', '--quiet'], { input: [...historyOf(commits)].join('') });
  const tip = await git(folder, ['rev-parse', 'main']);
  const root = await git(folder, ['rev-list', '--max-parents=0', 'main']);
  await ada.repository('engine');
  await git(folder, ['push', '-q', ada.remote('ada/engine'), 'main']);
  return { forge, ada, folder, tip, root, url: '/api/v1/repos/ada/engine/contents/old' };
}

/** Deletes the change index, so that every listing needs a walk. */
async function dropIndex({ forge }: LongHistory): Promise<void> {
  const { services } = forge.forge.running;
  await services.jobs.runDue({ aheadMs: 60_000 });
  const id = await services.repositories.findId({ owner: 'ada', name: 'engine' });
  assert.ok(id);
  const shard = id.toString(16).padStart(2, '0');
  await rm(join(forge.forge.dataFolder, 'git', shard, `${id}.git`, 'changes'), { recursive: true });
}

function walksRunning({ forge }: LongHistory): number {
  return forge.forge.running.services.lastCommits.walksRunning;
}

async function isIndexed({ forge, tip }: LongHistory): Promise<boolean> {
  const { services, engines } = forge.forge.running;
  const id = await services.repositories.findId({ owner: 'ada', name: 'engine' });
  assert.ok(id);
  const snapshot = await engines.git.open(id);
  return (await engines.git.findLastCommits(snapshot, { commit: tip, folder: '', names: [] })) !== undefined;
}

test('H6: a long history is indexed before its push ends, so no listing walks over it', async (t) => {
  const history = await pushHistory(t, 1_000);
  assert.equal(await isIndexed(history), true);
  const listed = await history.ada.get(history.url);
  assert.equal(listed.body.last_commit_sha, history.root);
});

test('H6: a walk that is too long is rejected with 503, and succeeds once a job has indexed the history', async (t) => {
  const history = await pushHistory(t, MORE_THAN_ONE_WALK);
  await dropIndex(history);
  const rejected = await history.ada.get(history.url);
  assert.equal(rejected.status, 503, rejected.text);
  assert.equal(rejected.headers.get('retry-after'), '10');
  assert.match(rejected.body.message, /not indexed yet/);
  await until(() => isIndexed(history));
  const listed = await history.ada.get(history.url);
  assert.equal(listed.body.last_commit_sha, history.root);
});

test('H6: equal requests share one walk, which ends when the last client leaves', async (t) => {
  const history = await pushHistory(t, MORE_THAN_ONE_WALK);
  const { forge, ada, url } = history;
  await dropIndex(history);
  const clients = Array.from({ length: 4 }, () => new AbortController());
  const requests = clients.map(({ signal }) =>
    fetch(`${forge.url}${url}`, { signal, headers: { authorization: `token ${ada.token}` } }).then(
      () => 'answered',
      () => 'left',
    ),
  );
  await until(() => walksRunning(history) > 0);
  assert.equal(walksRunning(history), 1);
  for (const client of clients) client.abort();
  assert.deepEqual(new Set(await Promise.all(requests)), new Set(['left']));
  await until(() => walksRunning(history) === 0);
  // A walk that reached its end would have requested the index.
  await forge.forge.running.services.jobs.runDue();
  assert.equal(await isIndexed(history), false);
});

test('a fork starts with the index of its parent', async (t) => {
  const history = await pushHistory(t, 300);
  const { forge, tip, root } = history;
  const bob = await forge.account('bob');
  const forked = await bob.post('/api/v1/repos/ada/engine/forks', {});
  assert.equal(forked.status, 202, forked.text);
  const { services, engines } = forge.forge.running;
  const id = await services.repositories.findId({ owner: 'bob', name: 'engine' });
  assert.ok(id);
  const snapshot = await engines.git.open(id);
  const indexed = await engines.git.findLastCommits(snapshot, { commit: tip, folder: '', names: ['old'] });
  assert.equal(indexed?.found.get('old')?.oid, root);
});
