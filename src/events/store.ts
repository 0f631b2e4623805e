import { sql } from 'kysely';
import { dialectOf, type Tx } from '../database/database.ts';
import type { EventKind, NewEvent } from './model.ts';

/** Held from the first event of a transaction to its end, so that positions are in the order of commits. */
const APPEND_LOCK_KEY = 7_119_214;

/** Writes down what the transaction does. Call it last in the transaction: others wait from here to its end. */
export async function insertEvent<Kind extends EventKind>(tx: Tx, event: NewEvent<Kind>): Promise<void> {
  if (dialectOf(tx) === 'postgres') await sql`select pg_advisory_xact_lock(${APPEND_LOCK_KEY})`.execute(tx);
  await tx
    .insertInto('events')
    .values({
      kind: event.kind,
      actor_id: event.actorId,
      repository_id: event.repositoryId,
      payload: JSON.stringify(event.payload),
      created_at: Date.now(),
    })
    .execute();
}
