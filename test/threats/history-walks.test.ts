import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CONTENTS_LIMITS } from '../../src/code/contents/limits.ts';
import { RepositoryFolder } from '../../src/git/folders/repository-layout.ts';
import { placeOf, prepareSite, serveSite } from '../code/transport/server-process.ts';
import { endLeases } from '../support/database/job-leases.ts';
import { type Person, startForge, type TestForge } from '../support/forge/forge.ts';
import { git, workingCopy } from '../support/git/git.ts';
import { request } from '../support/http/http.ts';
import { until } from '../support/until.ts';

// Runs once: no outcome depends on the database.

const MORE_THAN_ONE_WALK = CONTENTS_LIMITS.lastCommitStepsMax + 1;
/** Commits of a history that is not indexed together with its push. */
const LARGE = CONTENTS_LIMITS.lastCommitStepsUnindexed + 100;

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

async function makeHistory(folder: string, commits: number): Promise<{ tip: string; root: string }> {
  await git(folder, ['fast-import', '--quiet'], { input: [...historyOf(commits)].join('') });
  const tip = await git(folder, ['rev-parse', 'main']);
  const root = await git(folder, ['rev-list', '--max-parents=0', 'main']);
  return { tip, root };
}

async function pushHistory(t: TestContext, commits: number): Promise<LongHistory> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const folder = await workingCopy(t);
  const { tip, root } = await makeHistory(folder, commits);
  await ada.repository('engine');
  await git(folder, ['push', '-q', ada.remote('ada/engine'), 'main']);
  return { forge, ada, folder, tip, root, url: '/api/v1/repos/ada/engine/contents/old' };
}

/** Moves the branch away from the history and deletes the change index, so that listings there need a walk. */
async function abandon({ forge, ada, folder, tip }: LongHistory): Promise<void> {
  const other = await git(folder, ['commit-tree', '-m', 'instead', `${tip}^{tree}`]);
  await git(folder, ['push', '-q', '--force', ada.remote('ada/engine'), `${other}:refs/heads/main`]);
  const { services } = forge.forge.running;
  await services.jobs.runDue({ aheadMs: 60_000 });
  const id = await services.repositories.findId({ owner: 'ada', name: 'engine' });
  assert.ok(id);
  await rm(RepositoryFolder.of(join(forge.forge.dataFolder, 'git'), id).changes, { recursive: true });
}

interface Indexed extends Pick<LongHistory, 'forge' | 'tip'> {
  readonly owner?: string;
}

function walksRunning({ forge }: LongHistory): number {
  return forge.forge.running.services.lastCommits.walksRunning;
}

async function isIndexed({ forge, tip, owner = 'ada' }: Indexed): Promise<boolean> {
  const { services, engines } = forge.forge.running;
  const id = await services.repositories.findId({ owner, name: 'engine' });
  assert.ok(id);
  const snapshot = await engines.git.refs.open(id);
  return (
    (await engines.git.history.findLastCommits(snapshot, { commit: tip, folder: '', names: [] })) !==
    undefined
  );
}

test('H6: listings right after the push of a long history wait for its index instead of walking over it', async (t) => {
  const history = await pushHistory(t, MORE_THAN_ONE_WALK);
  const listed = await Promise.all([1, 2, 3].map(() => history.ada.get(history.url)));
  for (const { status, text, body } of listed) {
    assert.equal(status, 200, text);
    assert.equal(body.last_commit_sha, history.root);
  }
  assert.equal(await isIndexed(history), true);
});

test('H6: the history of a large push is indexed even if no listing asks for it', async (t) => {
  const history = await pushHistory(t, LARGE);
  await until(() => isIndexed(history));
});

test('H6: a walk that is too long, and that the index cannot shorten, is rejected with 503', async (t) => {
  const history = await pushHistory(t, MORE_THAN_ONE_WALK);
  await abandon(history);
  const rejected = await history.ada.get(`${history.url}?ref=${history.tip}`);
  assert.equal(rejected.status, 503, rejected.text);
  assert.equal(rejected.headers.get('retry-after'), '10');
  assert.match(rejected.body.message, /not indexed yet/);
});

test('a server killed right after a push indexes its history when it starts again', async (t) => {
  const folder = await workingCopy(t);
  // Long enough that its index is not complete when the server is killed.
  const { tip, root } = await makeHistory(folder, MORE_THAN_ONE_WALK);
  const site = await prepareSite(t);
  const { url, running } = await serveSite(t, site, {});
  const name = 'engine';
  const created = await request('POST', `${url}/api/v1/user/repos`, { as: site.admin, json: { name } });
  assert.equal(created.status, 201, created.text);
  const remote = new URL(`${url}/${site.admin.name}/${name}.git`);
  Object.assign(remote, { username: site.admin.name, password: site.admin.password });
  await git(folder, ['push', '-q', remote.href, 'main']);
  running.child.kill('SIGKILL');
  await running.ended();
  await endLeases(site);

  const forge = await startForge(t, placeOf(site));
  await until(() => isIndexed({ forge, owner: 'root', tip }));
  const listed = await forge.root.get('/api/v1/repos/root/engine/contents/old');
  assert.equal(listed.body.last_commit_sha, root);
});

test('H6: equal requests share one walk, which ends when the last client leaves', async (t) => {
  const history = await pushHistory(t, MORE_THAN_ONE_WALK);
  const { forge, ada, url, tip } = history;
  await abandon(history);
  const clients = Array.from({ length: 4 }, () => new AbortController());
  const requests = clients.map(({ signal }) =>
    fetch(`${forge.url}${url}?ref=${tip}`, { signal, headers: { authorization: `token ${ada.token}` } }).then(
      () => 'answered',
      () => 'left',
    ),
  );
  await until(() => walksRunning(history) > 0);
  assert.equal(walksRunning(history), 1);
  for (const client of clients) client.abort();
  assert.deepEqual(new Set(await Promise.all(requests)), new Set(['left']));
  await until(() => walksRunning(history) === 0);
});

test('a fork starts with the index of its parent', async (t) => {
  const history = await pushHistory(t, LARGE);
  const { forge, tip, root } = history;
  await until(() => isIndexed(history));
  const bob = await forge.account('bob');
  const forked = await bob.post('/api/v1/repos/ada/engine/forks', {});
  assert.equal(forked.status, 202, forked.text);
  const { services, engines } = forge.forge.running;
  const id = await services.repositories.findId({ owner: 'bob', name: 'engine' });
  assert.ok(id);
  const snapshot = await engines.git.refs.open(id);
  const indexed = await engines.git.history.findLastCommits(snapshot, {
    commit: tip,
    folder: '',
    names: ['old'],
  });
  assert.equal(indexed?.found.get('old')?.oid, root);
});
