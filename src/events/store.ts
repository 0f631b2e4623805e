import { sql } from 'kysely';
import { LIMITS } from '../core/limits.ts';
import { type Db, dialectOf, type Tx } from '../database/database.ts';
import { fragment } from '../database/fragment.ts';
import { hintAfterCommit } from '../database/hints-after-commit.ts';
import { queryFirst } from '../database/query.ts';
import type { EventBatch, EventKind, NewEvent, RecordedEvent } from './model.ts';

/**
 * Held from the first event of a transaction until its commit can be seen, so that positions are in the order of
 * commits: a sequence alone would let a transaction with a lower position commit after one with a higher.
 */
const APPEND_LOCK_KEY = 7_119_214;

/** Writes down what the transaction does. Call it last in the transaction: others wait from here to its end. */
export async function insertEvent<Kind extends EventKind>(tx: Tx, event: NewEvent<Kind>): Promise<void> {
  // The embedded database has one transaction that writes at a time, from its beginning on.
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
  hintAfterCommit(tx, 'events');
}

/**
 * The next events after a position, in order. Who goes on from the position of the batch never misses one.
 *
 * @param options.kinds only these; all where absent
 */
export async function readEvents(
  db: Db,
  options: { after: number; limit: number; kinds?: readonly EventKind[] },
): Promise<EventBatch> {
  const { after, limit, kinds } = options;
  // Read first: what is below it can be seen by the next statement, whatever is committed in between.
  const newest = await findNewestPosition(db);
  if (newest <= after) return { events: [], position: after };
  let query = db.selectFrom('events').selectAll().where('position', '>', after);
  if (kinds !== undefined) query = query.where('kind', 'in', kinds);
  const rows = await query.where('position', '<=', newest).orderBy('position').limit(limit).execute();
  const last = rows.length < limit ? undefined : rows.at(-1);
  return { events: rows.map(eventOf), position: last?.position ?? newest };
}

function eventOf(row: {
  position: number;
  kind: string;
  actor_id: number | null;
  repository_id: number | null;
  payload: string;
  created_at: number;
}): RecordedEvent {
  return {
    position: row.position,
    kind: row.kind,
    actorId: row.actor_id,
    repositoryId: row.repository_id,
    payload: JSON.parse(row.payload),
    at: row.created_at,
  } as RecordedEvent;
}

/** 0 where there is none. */
export async function findNewestPosition(db: Db): Promise<number> {
  const row = await queryFirst<{ position: number | null }>(
    db,
    fragment`select max(position) as position from events`,
  );
  return row?.position ?? 0;
}

export async function findReaderPosition(db: Db, name: string): Promise<number | undefined> {
  const row = await queryFirst<{ position: number }>(
    db,
    fragment`select position from event_readers where name = ${name}`,
  );
  return row?.position;
}

/** From here on events are kept until this reader has taken them. Does nothing where it is known. */
export async function insertReader(tx: Tx, name: string, position: number): Promise<void> {
  await tx
    .insertInto('event_readers')
    .values({ name, position, updated_at: Date.now() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

/** @returns whether the reader was still at `from`: else another process has taken those events */
export async function moveReader(tx: Tx, name: string, move: { from: number; to: number }): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('event_readers')
    .set({ position: move.to, updated_at: Date.now() })
    .where('name', '=', name)
    .where('position', '=', move.from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Events are not kept for this reader any more. */
export async function deleteReader(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('event_readers').where('name', '=', name).execute();
}

/**
 * Removes the oldest events, a bounded number of them, that were written before a time and that every reader has taken.
 *
 * @returns how many; the most that are removed at once: there may be more
 */
export async function deleteOldEvents(tx: Tx, before: number): Promise<number> {
  const oldest = await tx
    .selectFrom('events')
    .select(['position', 'created_at'])
    .where('position', '<=', (of) =>
      of.fn.coalesce(
        of.selectFrom('event_readers').select((reader) => reader.fn.min('position').as('position')),
        of.selectFrom('events').select((event) => event.fn.max('position').as('position')),
      ),
    )
    .orderBy('position')
    .limit(LIMITS.eventsPrunedAtOnceMax)
    .execute();
  const kept = oldest.findIndex((row) => row.created_at >= before);
  const old = kept === -1 ? oldest : oldest.slice(0, kept);
  const last = old.at(-1);
  if (last !== undefined) await tx.deleteFrom('events').where('position', '<=', last.position).execute();
  return old.length;
}
