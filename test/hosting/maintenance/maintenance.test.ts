import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { access, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runDoctor } from '../../../src/admin/doctor.ts';
import { JOB_LIMITS } from '../../../src/base/jobs/limits.ts';
import { GIT_LIMITS } from '../../../src/git/limits.ts';
import { MAINTENANCE_LIMITS } from '../../../src/hosting/maintenance/limits.ts';
import { STORAGE_LIMITS } from '../../../src/storage/limits.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { commitAll, git, workingCopy } from '../../support/git/git.ts';
import { mirrorOf } from '../../support/git-folder.ts';
import { upload } from '../lfs/objects.ts';

const A_LITTLE_LATER = { aheadMs: MAINTENANCE_LIMITS.measureDelayMs };
const LONG_AFTER = { aheadMs: MAINTENANCE_LIMITS.pruneDelayMs };

interface PushedRepository {
  readonly forge: TestForge;
  readonly ada: Person;
  /** a working copy that pushes to it */
  readonly folder: string;
  readonly id: number;
}

async function repositoryToPush(t: TestContext): Promise<PushedRepository> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { id } = await ada.repository('engine');
  const folder = await workingCopy(t);
  await git(folder, ['remote', 'add', 'origin', ada.remote('ada/engine')]);
  return { forge, ada, folder, id };
}

/** @param noise incompressible bytes */
async function pushCommit({ folder }: PushedRepository, name: string, noise = 0): Promise<void> {
  await writeFile(join(folder, name), randomBytes(noise));
  await commitAll(folder, name);
  await git(folder, ['push', '-q', 'origin', 'main']);
}

async function folderOnDisk({ forge, id }: PushedRepository): Promise<string> {
  const storage = forge.forge.running.engines.git;
  const snapshot = await storage.refs.open(id);
  return (await mirrorOf(storage, snapshot)).gitDir;
}

async function packsIn(gitDir: string): Promise<number> {
  const names = await readdir(join(gitDir, 'objects', 'pack'));
  return names.filter((name) => name.endsWith('.pack')).length;
}

/** Kinds of the pending or failed jobs of one repository. Recurring jobs belong to no single repository. */
async function jobsOf({ forge, id }: PushedRepository): Promise<readonly string[]> {
  const { reader } = forge.forge.running.engines.database;
  const rows = await reader.selectFrom('jobs').select('kind').where('key', '=', `${id}`).execute();
  return rows.map((row) => row.kind).toSorted();
}

/** Records each maintenance call, and replaces its result on request. */
function watchMaintenance({ forge }: PushedRepository, answers: ('done' | 'lost-race')[] = []): string[] {
  const storage = forge.forge.running.engines.git;
  const maintain = storage.upkeep.maintain.bind(storage.upkeep);
  const seen: string[] = [];
  storage.upkeep.maintain = async (id, job) => {
    seen.push(job);
    return answers.shift() ?? maintain(id, job);
  };
  return seen;
}

test('the size of a repository includes its large files, as of the last push', async (t) => {
  const pushed = await repositoryToPush(t);
  const { ada, forge } = pushed;
  const { jobs } = forge.forge.running.services;
  await upload(ada, 'ada/engine', 'x'.repeat(500_000));
  await pushCommit(pushed, 'a.bin', 100_000);

  await jobs.runDue(A_LITTLE_LATER);

  const { size } = (await ada.get('/api/v1/repos/ada/engine')).body;
  assert.ok(size >= 585 && size < 640, `size ${size}`);
  assert.equal((await ada.post('/api/v1/repos/ada/engine/forks', { name: 'copy' })).status, 202);
  assert.equal((await ada.get('/api/v1/repos/ada/copy')).body.size, size);
});

test('the size of a repository follows a push', async (t) => {
  const pushed = await repositoryToPush(t);
  const { jobs } = pushed.forge.forge.running.services;
  const size = async () => (await pushed.ada.get('/api/v1/repos/ada/engine')).body.size;
  assert.equal(await size(), 0);

  await pushCommit(pushed, 'a.bin', 100_000);
  await jobs.runDue(A_LITTLE_LATER);
  const afterOne = await size();
  await pushCommit(pushed, 'b.bin', 100_000);
  await jobs.runDue(A_LITTLE_LATER);

  assert.ok(afterOne >= 97 && afterOne < 120, `${afterOne} KiB`);
  assert.ok((await size()) >= 195, `${await size()} KiB`);
});

test('a push requests maintenance in its own transaction, and many pushes request it once', async (t) => {
  const pushed = await repositoryToPush(t);
  const { pushes } = pushed.forge.forge.running.services;
  // Excludes the measurement, which may already run, and the jobs of other features.
  const waiting = async () =>
    (await jobsOf(pushed)).filter((kind) => kind.startsWith('repository.') && kind !== 'repository.measure');
  let isRefused = true;
  pushed.forge.stopAfterTest();
  pushes.refsChanged.subscribe(async () => {
    if (isRefused) throw new Error('no');
  });

  await assert.rejects(pushCommit(pushed, 'a'));
  assert.deepEqual(await waiting(), []);
  isRefused = false;
  await pushCommit(pushed, 'b');
  await pushCommit(pushed, 'c');

  assert.deepEqual(await waiting(), ['repository.prune']);
});

test('repacking a repository with many packs changes nothing for readers', async (t) => {
  const pushed = await repositoryToPush(t);
  await pushCommit(pushed, 'a', 1_000);
  const gitDir = await folderOnDisk(pushed);
  for (let count = 0; count <= MAINTENANCE_LIMITS.packsMax; count += 1) {
    const oid = await git(gitDir, ['hash-object', '-w', '--stdin'], { input: `unused ${count}` });
    await git(gitDir, ['pack-objects', '-q', 'objects/pack/pack'], { input: `${oid}\n` });
  }
  await pushCommit(pushed, 'b', 1_000);
  assert.ok((await packsIn(gitDir)) > MAINTENANCE_LIMITS.packsMax);

  await pushed.forge.forge.running.services.jobs.runDue(A_LITTLE_LATER);

  // One pack of reachable objects, one of the rest.
  assert.equal(await packsIn(gitDir), 2);
  await access(join(gitDir, 'objects', 'pack', 'multi-pack-index'));
  await git(gitDir, ['fsck', '--strict']);
  await pushCommit(pushed, 'c', 1_000);
  const clone = await workingCopy(t);
  await git(clone, ['pull', '-q', pushed.ada.remote('ada/engine'), 'main']);
  assert.deepEqual((await readdir(clone)).toSorted(), ['.git', 'a', 'b', 'c']);
});

test('a large push creates a commit-graph, a small one does not', async (t) => {
  const pushed = await repositoryToPush(t);
  const done = watchMaintenance(pushed);
  const { jobs } = pushed.forge.forge.running.services;

  await pushCommit(pushed, 'small', 1_000);
  await jobs.runDue(A_LITTLE_LATER);
  assert.deepEqual(done, []);
  await pushCommit(pushed, 'large', MAINTENANCE_LIMITS.commitGraphGrowthBytesMin);
  await jobs.runDue(A_LITTLE_LATER);

  assert.deepEqual(done, ['commit-graph']);
  await access(join(await folderOnDisk(pushed), 'objects', 'info', 'commit-graph'));
});

test('a repository is pruned once, after its unused objects are old enough', async (t) => {
  const pushed = await repositoryToPush(t);
  const done = watchMaintenance(pushed);
  const { jobs } = pushed.forge.forge.running.services;
  await pushCommit(pushed, 'a');
  await pushCommit(pushed, 'b');

  await jobs.runDue({ aheadMs: MAINTENANCE_LIMITS.pruneDelayMs - 60_000 });
  assert.deepEqual(done, []);
  await jobs.runDue(LONG_AFTER);
  await jobs.runDue({ aheadMs: 2 * MAINTENANCE_LIMITS.pruneDelayMs });

  assert.deepEqual(done, ['prune']);
});

test('maintenance overtaken by pushes is retried, first at once and then later', async (t) => {
  const pushed = await repositoryToPush(t);
  const lost = Array.from({ length: GIT_LIMITS.maintenanceRacesMax + 1 }, () => 'lost-race' as const);
  const done = watchMaintenance(pushed, lost);
  const { jobs } = pushed.forge.forge.running.services;
  await pushCommit(pushed, 'a');

  await jobs.runDue(LONG_AFTER);
  assert.equal(done.length, GIT_LIMITS.maintenanceRacesMax);
  await jobs.runDue(LONG_AFTER);

  assert.equal(done.length, GIT_LIMITS.maintenanceRacesMax + 2);
  assert.deepEqual(await jobs.listFailed(), []);
  assert.deepEqual(await jobsOf(pushed), []);
});

test('maintenance of a deleted repository does not fail', async (t) => {
  const pushed = await repositoryToPush(t);
  const done = watchMaintenance(pushed);
  const { jobs } = pushed.forge.forge.running.services;
  await pushCommit(pushed, 'a');
  assert.equal((await pushed.ada.delete('/api/v1/repos/ada/engine')).status, 204);

  await jobs.runDue(LONG_AFTER);

  assert.deepEqual(done, ['prune']);
  assert.deepEqual(await jobsOf(pushed), []);
});

test('a purge that the server does for a deleted repository ends without a failure', async (t) => {
  const pushed = await repositoryToPush(t);
  const { jobs, purges } = pushed.forge.forge.running.services;
  await pushCommit(pushed, 'a');
  assert.equal((await pushed.ada.delete('/api/v1/repos/ada/engine')).status, 204);

  const deleted = await purges.request(pushed.id, () => jobs.runDue());
  assert.deepEqual(deleted, { objects: 0, bytes: 0 });
  assert.deepEqual(await jobs.listFailed(), []);
});

test('abandoned and outdated files are deleted over time', async (t) => {
  const forge = await startForge(t);
  const { services, engines } = forge.forge.running;
  const { database } = engines;
  await (await forge.account('ada')).repository('engine');
  const counts = async () => {
    const intents = await database.reader.selectFrom('repository_intents').select('id').execute();
    const events = await database.reader.selectFrom('events').select('position').execute();
    return { intents: intents.length, events: events.length };
  };
  await database.transaction(async (tx) => {
    await tx.insertInto('repository_intents').values({ created_at: 0 }).execute();
    await tx.updateTable('events').set({ created_at: 0 }).execute();
    // Events are kept until every reader has handled them.
    const { position } = await tx
      .selectFrom('events')
      .select((of) => of.fn.max('position').as('position'))
      .executeTakeFirstOrThrow();
    await tx.updateTable('event_readers').set({ position }).execute();
  });
  const before = await counts();
  assert.equal(before.intents, 1);
  assert.ok(before.events > 0);

  await services.jobs.runDue({
    aheadMs: Math.max(STORAGE_LIMITS.sweepEveryMs, MAINTENANCE_LIMITS.eventsPruneEveryMs),
  });

  assert.deepEqual(await counts(), { intents: 0, events: 0 });
});

test('the metrics and the doctor report a job that failed for good, and the doctor can retry it', async (t) => {
  const pushed = await repositoryToPush(t);
  const { services, engines } = pushed.forge.forge.running;
  const measure = engines.git.upkeep.measure.bind(engines.git.upkeep);
  engines.git.upkeep.measure = () => Promise.reject(new Error('disk failed'));
  await pushCommit(pushed, 'a');
  for (let attempt = 1; attempt <= JOB_LIMITS.jobAttemptsMax; attempt += 1) {
    await services.jobs.runDue({ aheadMs: 2 * JOB_LIMITS.jobRetryMsMax });
  }
  const lines: string[] = [];
  const doctor = (retryJobs: boolean) =>
    runDoctor({ ...engines, ...services, importRefs: null, retryJobs, print: (line) => lines.push(line) });

  assert.equal(await doctor(false), false);
  assert.match(
    lines.join('\n'),
    /^job repository\.measure \d+: failed at \S+ after the last attempt \(--retry-jobs runs it again\): disk failed$/m,
  );
  assert.match((await pushed.forge.get('/metrics')).text, /^quire_jobs_failed 1$/m);

  engines.git.upkeep.measure = measure;
  assert.equal(await doctor(true), true);
  assert.match(lines.join('\n'), /^1 job will run again$/m);
  await services.jobs.runDue();
  assert.equal(await doctor(false), true);
});
