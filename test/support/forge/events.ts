import type { Database } from '../../../src/base/database/database.ts';

export interface EventRecord {
  readonly kind: string;
  /** name of the account; null for the server itself */
  readonly actor: string | null;
  readonly name?: string;
  readonly changed?: readonly string[];
}

/** Reads the events with a kind that starts with `prefix`, in order and without ids. */
export async function eventsOf(database: Database, prefix: string): Promise<readonly EventRecord[]> {
  const rows = await database.reader
    .selectFrom('events')
    .leftJoin('accounts', 'accounts.id', 'events.actor_id')
    .select(['events.kind', 'events.payload', 'accounts.name as actor'])
    .orderBy('events.position')
    .execute();
  return rows
    .filter((row) => row.kind.startsWith(prefix))
    .map(({ kind, payload, actor }) => {
      const { accountId: _, ...rest } = JSON.parse(payload);
      return { kind, actor, ...rest };
    });
}
