import type { Database } from '../../../src/base/database/database.ts';
import { hintAfterCommit } from '../../../src/base/database/hints-after-commit.ts';
import type { Person, TestForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';

export const ALLOWED = { settings: { outboundAllow: '127.0.0.1' } };
export const MIGRATE = '/api/v1/repos/migrate';

/** Waits until no update of a mirror is waiting or running. */
export async function synced({ forge }: TestForge, kind = 'mirrors.sync'): Promise<void> {
  const { reader } = forge.running.engines.database;
  await until(async () => {
    const jobs = await reader.selectFrom('jobs').select('id').where('kind', '=', kind).execute();
    return jobs.length === 0;
  });
}

/** Returns the row of the only mirror. */
export function mirrorRow({ forge }: TestForge) {
  const { reader } = forge.running.engines.database;
  return reader.selectFrom('mirrors').selectAll().executeTakeFirstOrThrow();
}

/** Returns why the last update failed of the mirror `engine`, as its record says; '' if it did not. */
export async function errorOf(owner: Person): Promise<string> {
  const { body } = await owner.get(`/api/v1/repos/${owner.name}/engine`);
  return body.mirror_error ?? '';
}

/** Waits for an answer, and has the attempts of migrations that come later run at once. */
export async function hurried<T>({ forge }: TestForge, answer: Promise<T>): Promise<T> {
  const { database } = forge.running.engines;
  let hasCome = false;
  const done = answer.finally(() => {
    hasCome = true;
  });
  await Promise.all([
    done,
    until(async () => {
      if (!hasCome) await hurry(database);
      return hasCome;
    }),
  ]);
  return done;
}

/** Makes waiting migrations and their jobs due. A job that is about to end sets its time once more. */
async function hurry(database: Database): Promise<void> {
  const now = Date.now();
  const later = await database.reader
    .selectFrom('repository_migrations')
    .innerJoin('jobs', (on) => on.on('kind', '=', 'mirrors.migrate'))
    .select('jobs.id')
    .where('state', '=', 'waiting')
    .where((when) => when.or([when('due_at', '>', now), when('run_at', '>', now)]))
    .execute();
  if (later.length === 0) return;
  await database.transaction(async (tx) => {
    await tx.updateTable('repository_migrations').set({ due_at: 0 }).where('state', '=', 'waiting').execute();
    await tx.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'mirrors.migrate').execute();
    hintAfterCommit(tx, 'jobs');
  });
}
