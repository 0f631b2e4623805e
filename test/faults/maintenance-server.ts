import { existsSync } from 'node:fs';
import { readdir, stat, utimes } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { ForgeError } from '../../src/base/core/failure.ts';
import { RepositoryFolder } from '../../src/git/folders/repository-layout.ts';
import type { RepositoryId } from '../../src/git/interface/snapshot.ts';
import type { GitStorage } from '../../src/git/interface/storage.ts';
import { TESTING } from '../support/program.ts';
import type { MaintenanceJob } from './kills.ts';

/**
 * Runs the whole server and maintains its repositories continuously, so that a kill can interrupt maintenance:
 * `maintenance-server.ts repack,prune --data FOLDER`. A prune treats objects as old after a few seconds.
 */

const REST_MS = 30;
/** Longer than a mirror update or repack of these small repositories takes. */
const SWEEP_GRACE_MS = 5_000;
/** Longer than the time between writing two files of a pack. */
const YOUNG_MS = 1_000;
const OLD_MS = 30 * 24 * 60 * 60_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    'database-url': { type: 'string' },
    'log-level': { type: 'string' },
  },
});
const jobs = (positionals[0] ?? '').split(',') as MaintenanceJob[];
const dataFolder = values.data ?? '';
const { startForge } = (await import(TESTING)) as typeof import('../../testing/index.ts');
const forge = await startForge({
  dataFolder,
  logLevel: values['log-level'] ?? 'warn',
  databaseUrl: values['database-url'] ?? '',
  fault: process.env.QUIRE_FAULT,
});
const { engines, services } = forge.running;
process.stdout.write(`ready ${forge.url}\n`);
// A process that is killed writes no cache of compiled files at its end.
flushCompileCache();
const stopped = new AbortController();
process.once('SIGTERM', () => stopped.abort());
await Promise.all(jobs.map(repeat));
await forge.stop();

/** Repeats one kind of maintenance, as the server's jobs do. */
async function repeat(job: MaintenanceJob): Promise<void> {
  const { git } = engines;
  while (!stopped.signal.aborted) {
    for (const id of await git.refs.list()) {
      if (stopped.signal.aborted) return;
      await maintain(git, id, job);
      await wait(REST_MS);
    }
    // There may be no repository.
    await wait(REST_MS);
  }
}

async function maintain(git: GitStorage, id: RepositoryId, job: MaintenanceJob): Promise<void> {
  try {
    if (job === 'sweep') {
      await services.repositories.creation.sweepAbandoned(SWEEP_GRACE_MS);
      await git.upkeep.sweep(SWEEP_GRACE_MS);
      return;
    }
    if (job === 'prune') await makeObjectsOld(id);
    await git.upkeep.maintain(id, job);
  } catch (error) {
    if (await isHarmless(git, id, error)) return;
    process.stderr.write(`${job} failed: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

/** Whether a job would succeed at its next attempt, or find nothing to do. */
async function isHarmless(git: GitStorage, id: RepositoryId, error: unknown): Promise<boolean> {
  // Another process holds the lock, or left it for the next sweep.
  if (error instanceof Error && /\.lock': File exists/.test(error.message)) return true;
  try {
    await git.refs.open(id);
    return false;
  } catch (missing) {
    // The class of a build is another one.
    return (missing as Partial<ForgeError>).failure?.kind === 'not_found';
  }
}

/** Dates objects back. New files keep their dates, because a sweep detects abandoned work by its age. */
async function makeObjectsOld(id: RepositoryId): Promise<void> {
  const { objects } = RepositoryFolder.of(join(dataFolder, 'git'), id);
  const date = new Date(Date.now() - OLD_MS);
  // A repository that was never written has no folder.
  if (!existsSync(objects)) return;
  for (const name of await readdir(objects, { recursive: true })) {
    const path = join(objects, name);
    try {
      const stats = await stat(path);
      const ageMs = Date.now() - stats.mtimeMs;
      if (stats.isFile() && ageMs > YOUNG_MS && ageMs < OLD_MS) await utimes(path, date, date);
    } catch {
      // A prune or a repack has deleted the file.
    }
  }
}
