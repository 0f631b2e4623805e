import { existsSync } from 'node:fs';
import { readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readConfig } from '../../src/app/config.ts';
import { startServer } from '../../src/app/serve.ts';
import { ForgeError } from '../../src/core/failure.ts';
import type { GitStorage, RepositoryId } from '../../src/git/model.ts';
import type { Upkeep } from './kills.ts';

/**
 * The whole server, which also looks after its repositories without a pause, so that it can be killed in the middle of
 * that: `maintenance-server.ts repack,prune --port 0 --data FOLDER`. Objects look old to a prune as soon as they are there.
 */

const REST_MS = 30;
/** Longer than a mirror or a repack of these small repositories takes. */
const SWEEP_GRACE_MS = 5_000;
/** Longer than it takes to write one file of a pack after the other. */
const YOUNG_MS = 3_000;
const OLD_MS = 30 * 24 * 60 * 60_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: 'string' },
    data: { type: 'string' },
    'database-url': { type: 'string' },
    'log-level': { type: 'string' },
  },
});
const jobs = (positionals[0] ?? '').split(',') as Upkeep[];
const config = readConfig({
  port: values.port ?? '0',
  data: values.data ?? '',
  logLevel: values['log-level'] ?? 'warn',
  databaseUrl: values['database-url'] ?? '',
});
const forge = await startServer(config);
process.stdout.write(`ready ${forge.url}\n`);
const stopped = new AbortController();
process.once('SIGTERM', () => stopped.abort());
await Promise.all(jobs.map(repeat));
await forge.stop();

/** Each kind of work on its own, as the server's jobs do it. */
async function repeat(job: Upkeep): Promise<void> {
  const { git } = forge.engines;
  while (!stopped.signal.aborted) {
    for (const id of await git.list()) {
      if (stopped.signal.aborted) return;
      await lookAfter(git, id, job);
      await wait(REST_MS);
    }
  }
}

async function lookAfter(git: GitStorage, id: RepositoryId, job: Upkeep): Promise<void> {
  try {
    if (job === 'sweep') {
      await forge.services.repositories.sweepAbandoned(SWEEP_GRACE_MS);
      await git.sweep(SWEEP_GRACE_MS);
      return;
    }
    if (job === 'prune') await makeObjectsOld(id);
    await git.maintain(id, job);
  } catch (error) {
    if (await isHarmless(git, id, error)) return;
    process.stderr.write(`${job} failed: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

/** A job would be tried again, and then succeed or find nothing to do. */
async function isHarmless(git: GitStorage, id: RepositoryId, error: unknown): Promise<boolean> {
  // What another process is at, or has left until the next sweep.
  if (error instanceof Error && /\.lock': File exists/.test(error.message)) return true;
  try {
    await git.open(id);
    return false;
  } catch (gone) {
    return gone instanceof ForgeError && gone.failure.kind === 'not_found';
  }
}

/** What is being written keeps its date: a sweep tells from that whether somebody is still at it. */
async function makeObjectsOld(id: RepositoryId): Promise<void> {
  const objects = join(
    config.dataFolder,
    'git',
    (id % 256).toString(16).padStart(2, '0'),
    `${id}.git/objects`,
  );
  const date = new Date(Date.now() - OLD_MS);
  // A repository that was never written to has no folder.
  if (!existsSync(objects)) return;
  for (const name of await readdir(objects, { recursive: true })) {
    const path = join(objects, name);
    try {
      const stats = await stat(path);
      const ageMs = Date.now() - stats.mtimeMs;
      if (stats.isFile() && ageMs > YOUNG_MS && ageMs < OLD_MS) await utimes(path, date, date);
    } catch {
      // Gone since: a prune or a repack of just now.
    }
  }
}
