import { sql } from 'kysely';
import type { TestForge } from './forge.ts';

/** Moves all that is recorded of sessions into the past. Returns once the requests before it are recorded. */
export async function ageSessions(forge: TestForge, ms: number): Promise<void> {
  const { engines, services } = forge.forge.running;
  await services.sessions.waitForWrites();
  await engines.database.transaction((tx) =>
    sql`update sessions set created_at = created_at - ${ms}, proved_at = proved_at - ${ms},
      seen_at = seen_at - ${ms}, ends_at = ends_at - ${ms}`.execute(tx),
  );
}
