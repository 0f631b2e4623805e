import type { Person, TestForge } from '../support/forge.ts';
import { until } from '../support/until.ts';

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
