import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestForge } from '../../support/forge/forge.ts';

/** Numbers of rows that a rejected request must not increase. */
export interface Left {
  readonly repositories: number;
  readonly gitRepositories: number;
  readonly intents: number;
  readonly labels: number;
  readonly events: number;
}

export async function leftIn(forge: TestForge): Promise<Left> {
  const db = forge.forge.running.engines.database.reader;
  const count = async (table: 'repositories' | 'repository_intents' | 'labels') => {
    const rows = await db.selectFrom(table).select('created_at').execute();
    return rows.length;
  };
  const events = await db
    .selectFrom('events')
    .select('position')
    .where((where) => where.or([where('kind', 'like', 'repository.%'), where('kind', '=', 'refs.changed')]))
    .execute();
  return {
    repositories: await count('repositories'),
    gitRepositories: (await db.selectFrom('git_repositories').select('id').execute()).length,
    intents: await count('repository_intents'),
    labels: await count('labels'),
    events: events.length,
  };
}

/** Runs a sweep, which deletes the files of removed repositories, and lists the remaining repository folders. */
export async function foldersAfterSweep(forge: TestForge): Promise<readonly string[]> {
  await forge.forge.running.engines.git.upkeep.sweep(0);
  const root = join(forge.forge.dataFolder, 'git');
  const found = await readdir(root, { recursive: true }).catch(() => [] as string[]);
  return found.filter((path) => path.endsWith('.git'));
}
