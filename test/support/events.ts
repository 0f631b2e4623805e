import type { Database } from '../../src/database/database.ts';

export interface ToldEvent {
  readonly kind: string;
  /** name of the account; null: the server itself */
  readonly actor: string | null;
  readonly name?: string;
  readonly changed?: readonly string[];
}

/** The events whose kind begins with `prefix`, in their order, without ids. */
export async function eventsOf(database: Database, prefix: string): Promise<readonly ToldEvent[]> {
  const rows = await database.reader
    .selectFrom('events')
    .leftJoin('accounts', 'accounts.id', 'events.actor_id')
    .select(['events.kind', 'events.payload', 'accounts.name as actor'])
    .orderBy('events.position')
    .execute();
  return rows
    .filter((row) => row.kind.startsWith(prefix))
    .map(({ kind, payload, actor }) => {
      const { accountId: _, ...told } = JSON.parse(payload);
      return { kind, actor, ...told };
    });
}
