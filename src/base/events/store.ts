import type { AuditRule, NewAuditEntry } from '../audit/model.ts';
import { namesOf, recordAudits } from '../audit/store.ts';
import { currentTimeMs } from '../core/time/clock.ts';
import { type Db, dialectOf, type Tx } from '../database/database.ts';
import { type Fragment, fragment, joined, raw, values } from '../database/fragment.ts';
import { hintAfterCommit } from '../database/hints-after-commit.ts';
import { query, queryFirst } from '../database/query.ts';
import { EVENT_LIMITS } from './limits.ts';
import type { ActorKind, EventBatch, EventKind, NewEvent, RecordedEvent } from './model.ts';

/**
 * PostgreSQL lock that a transaction holds from its first event until its commit is visible, so that positions are in
 * commit order. With a sequence alone, a transaction with a lower position could commit after one with a higher.
 */
const APPEND_LOCK_KEY = 7_119_214;
/** The embedded database runs one writing transaction at a time. */
const LOCKED_BY = {
  postgres: raw(`pg_advisory_xact_lock(${APPEND_LOCK_KEY}), `),
  sqlite: raw(''),
};

/**
 * Records an event in the transaction of the change. Call it last: from here until the commit, other transactions with
 * events wait.
 */
export function insertEvent<Payload>(
  tx: Tx,
  kind: EventKind<Payload>,
  event: NewEvent<NoInfer<Payload>>,
): Promise<void> {
  return insertEvents(tx, kind, [event]);
}

/** Records events of one kind, in this order, as `insertEvent` does. */
export async function insertEvents<Payload>(
  tx: Tx,
  kind: EventKind<Payload>,
  events: readonly NewEvent<NoInfer<Payload>>[],
): Promise<void> {
  if (kind.audit !== undefined) await recordAudits(tx, entriesOf(kind, kind.audit, events));
  const at = currentTimeMs();
  const rows = events.map((event) => {
    const { actorId, actorKind = kindOf(actorId), repositoryId, payload, former, place } = event;
    const ownerId = place?.ownerId ?? (repositoryId === null ? ownerIn(payload) : null);
    const formerText = former === undefined ? null : JSON.stringify(former);
    return fragment`(${kind.name}, cast(${actorId} as bigint), cast(${repositoryId} as bigint),
      ${JSON.stringify(payload)}, cast(${at} as bigint), ${actorKind}, cast(${formerText} as text),
      cast(${ownerId} as bigint), cast(${place?.owner ?? null} as text), cast(${place?.repository ?? null} as text),
      ${namesOf(tx, peopleIn(kind, payload))})`;
  });
  // Positions are given to rows that the statement has already selected, so after the lock.
  await query(
    tx,
    fragment`insert into events (kind, actor_id, repository_id, payload, created_at, actor_kind, former,
        owner_id, owner_name, repository_name, actor_name, account_names)
      select e.column1, e.column2, e.column3, e.column4, e.column5, e.column6, e.column7, ${OWNER_ID},
        coalesce(e.column9, (select o.name from accounts o where o.id = ${OWNER_ID})),
        coalesce(e.column10, (select r.name from repositories r where r.id = e.column3)),
        (select a.name from accounts a where a.id = e.column2), e.column11
      from ${LOCKED_BY[dialectOf(tx)]}(values ${joined(rows, ', ')}) e`,
  );
  hintAfterCommit(tx, 'events');
}

const OWNER_ID = raw('coalesce(e.column8, (select r.owner_id from repositories r where r.id = e.column3))');

function peopleIn({ people = [] }: EventKind, payload: unknown): readonly number[] {
  const parts = payload as Readonly<Record<string, unknown>>;
  const ids = people.flatMap((name) => parts[name]).filter((id) => typeof id === 'number');
  return [...new Set(ids)].slice(0, EVENT_LIMITS.namesPerEventMax);
}

/** Returns what the audit log records of events. */
function entriesOf(
  kind: EventKind,
  { target, id, name, isForSite = false }: AuditRule,
  events: readonly NewEvent<unknown>[],
): readonly NewAuditEntry[] {
  return events.map((event) => {
    const { actorId, actorKind = kindOf(actorId), repositoryId, payload, former, place, audit } = event;
    const parts = payload as Readonly<Record<string, unknown>>;
    const targetId = target === 'repository' ? repositoryId : id === undefined ? null : parts[id];
    const targetName = name === undefined ? undefined : parts[name];
    return {
      action: kind.name,
      actorId,
      actorKind,
      target: {
        kind: target,
        id: typeof targetId === 'number' ? targetId : null,
        name: typeof targetName === 'string' ? targetName : null,
      },
      ownerId: place?.ownerId ?? (repositoryId === null ? ownerIn(payload) : null),
      isForSite,
      repositoryId,
      ...(place === undefined ? {} : { repositoryName: `${place.owner}/${place.repository}` }),
      details: { ...parts, ...(former === undefined ? {} : { former }), ...audit },
      people: peopleIn(kind, payload),
    };
  });
}

function kindOf(actorId: number | null): ActorKind {
  return actorId === null ? 'system' : 'user';
}

/** Returns the organization or the account that the payload of an event without a repository names. */
function ownerIn(payload: unknown): number | null {
  const { organizationId, accountId } = payload as { organizationId?: unknown; accountId?: unknown };
  return [organizationId, accountId].find((id) => typeof id === 'number') ?? null;
}

/** The events of one repository, or of one owner and the repositories that belonged to it at that time. */
export type EventScope =
  | { readonly of: 'repository'; readonly id: number }
  | { readonly of: 'owner'; readonly id: number };

/**
 * Reads the next events after a position, in order. A reader that continues from the position of the batch misses none.
 *
 * @param options.kinds reads only these; absent: all
 * @param options.scope reads only these; absent: all
 */
export async function readEvents(
  db: Db,
  options: { after: number; limit: number; kinds?: readonly EventKind[]; scope?: EventScope | undefined },
): Promise<EventBatch> {
  const { after, limit, kinds, scope } = options;
  // Read first: the next statement sees every event up to this position, even if others commit in between.
  const newest = await findNewestPosition(db);
  if (newest <= after) return { events: [], position: after };
  const only =
    kinds === undefined ? raw('') : fragment`and kind in (${values(kinds.map(({ name }) => name))})`;
  const rows = await query<EventRow>(
    db,
    fragment`select ${COLUMNS} from events
      where position > ${after} ${only} ${within(scope)} and position <= ${newest} order by position limit ${limit}`,
  );
  const last = rows.length < limit ? undefined : rows.at(-1);
  return { events: rows.map(eventOf), position: last?.position ?? newest };
}

function within(scope: EventScope | undefined): Fragment {
  if (scope === undefined) return raw('');
  return scope.of === 'repository'
    ? fragment`and repository_id = ${scope.id}`
    : fragment`and owner_id = ${scope.id}`;
}

/** Reads the events at some positions, in order. */
export async function readEventsAt(db: Db, positions: readonly number[]): Promise<readonly RecordedEvent[]> {
  if (positions.length === 0) return [];
  const rows = await query<EventRow>(
    db,
    fragment`select ${COLUMNS} from events where position in (${values(positions)}) order by position`,
  );
  return rows.map(eventOf);
}

const COLUMNS = raw(
  'position, kind, actor_id, repository_id, payload, created_at, actor_kind, actor_name, owner_id, owner_name, repository_name, former, account_names',
);

interface EventRow {
  readonly position: number;
  readonly kind: string;
  readonly actor_id: number | null;
  readonly repository_id: number | null;
  readonly payload: string;
  readonly created_at: number;
  readonly actor_kind: ActorKind | null;
  readonly actor_name: string | null;
  readonly owner_id: number | null;
  readonly owner_name: string | null;
  readonly repository_name: string | null;
  readonly former: string | null;
  readonly account_names: string | null;
}

function eventOf(row: EventRow): RecordedEvent {
  return {
    position: row.position,
    kind: row.kind,
    actorId: row.actor_id,
    repositoryId: row.repository_id,
    payload: JSON.parse(row.payload),
    at: row.created_at,
    actorKind: row.actor_kind ?? kindOf(row.actor_id),
    actorName: row.actor_name,
    ownerId: row.owner_id,
    ownerName: row.owner_name,
    repositoryName: row.repository_name,
    former: row.former === null ? null : JSON.parse(row.former),
    accountNames: row.account_names === null ? null : JSON.parse(row.account_names),
  };
}

/** @returns 0 if there is no event */
export async function findNewestPosition(db: Db): Promise<number> {
  const row = await queryFirst<{ position: number | null }>(
    db,
    fragment`select max(position) as position from events`,
  );
  return row?.position ?? 0;
}

/** @returns position of the last event that was deleted; 0 if none was */
export async function findDeletedTo(db: Db): Promise<number> {
  const row = await queryFirst<{ deleted_to: number }>(db, fragment`select deleted_to from event_log`);
  return row?.deleted_to ?? 0;
}

/**
 * Finds the position after which all events are that were recorded at a time or later. Times follow positions, apart from
 * the differences between the clocks of processes, so about twenty rows are read and not the whole log.
 *
 * @param ms the time
 */
export async function findPositionBefore(db: Db, ms: number): Promise<number> {
  const bounds = await queryFirst<{ first: number | null; last: number | null }>(
    db,
    fragment`select min(position) as first, max(position) as last from events`,
  );
  let before = (bounds?.first ?? 1) - 1;
  let end = bounds?.last ?? 0;
  while (before < end) {
    const middle = Math.floor((before + end) / 2) + 1;
    const row = await queryFirst<{ position: number; created_at: number }>(
      db,
      fragment`select position, created_at from events where position <= ${middle} order by position desc limit 1`,
    );
    if (row !== undefined && row.created_at >= ms) end = Math.min(end, row.position - 1);
    else before = middle;
  }
  return Math.max(end, 0);
}

export async function findReaderPosition(db: Db, name: string): Promise<number | undefined> {
  const row = await queryFirst<{ position: number }>(
    db,
    fragment`select position from event_readers where name = ${name}`,
  );
  return row?.position;
}

/** Keeps events from this position on until the reader has handled them. Does nothing if the reader is known. */
export async function insertReader(tx: Tx, name: string, position: number): Promise<void> {
  await tx
    .insertInto('event_readers')
    .values({ name, position, updated_at: currentTimeMs() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

/** @returns false if the reader is no longer at `from`, because another process has handled those events */
export async function moveReader(tx: Tx, name: string, move: { from: number; to: number }): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('event_readers')
    .set({ position: move.to, updated_at: currentTimeMs() })
    .where('name', '=', name)
    .where('position', '=', move.from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Stops keeping events for this reader. */
export async function deleteReader(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('event_readers').where('name', '=', name).execute();
}

/**
 * Deletes the oldest events that were written before a time and that every reader has handled, a bounded number at once.
 *
 * @param before ms
 * @returns how many; if that is the bound, there may be more
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
    .limit(EVENT_LIMITS.eventsPrunedAtOnceMax)
    .execute();
  const kept = oldest.findIndex((row) => row.created_at >= before);
  const old = kept === -1 ? oldest : oldest.slice(0, kept);
  const last = old.at(-1);
  if (last !== undefined) {
    await tx.deleteFrom('events').where('position', '<=', last.position).execute();
    await tx.updateTable('event_log').set({ deleted_to: last.position }).execute();
  }
  return old.length;
}
