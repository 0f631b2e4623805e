import type { Insertable, Selectable } from 'kysely';
import type { Page, Paging } from '../../../base/core/paging.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { fragment, raw, values } from '../../../base/database/fragment.ts';
import { query, queryFirst, queryPage } from '../../../base/database/query.ts';
import type { RepositoryMigrationsTable } from '../../../base/database/schema/mirrors.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { progressOf } from '../progress.ts';
import type { Migration, MigrationStatus, RequesterPlace, Run } from './model.ts';
import { isMirrorIn } from './options-text.ts';

/** A row, with its secrets encrypted. */
export type MigrationRow = Selectable<RepositoryMigrationsTable>;

type NewMigrationRow = Omit<Insertable<RepositoryMigrationsTable>, 'id'>;

function migrationOf(row: MigrationRow): Migration {
  return {
    id: row.id,
    ownerName: row.owner_name,
    name: row.name,
    address: row.address,
    isMirror: isMirrorIn(row.options),
    state: row.state,
    attempts: row.attempts,
    dueAt: row.state === 'waiting' ? row.due_at : null,
    progress: progressOf(row.progress),
    failure: failureOf(row),
    repositoryId: row.repository_id,
    requestedAt: row.requested_at,
    begunAt: row.begun_at,
    endedAt: row.ended_at,
  };
}

function failureOf({ failure }: Pick<MigrationRow, 'failure'>): Migration['failure'] {
  return failure === null ? null : JSON.parse(failure);
}

export async function insertMigration(tx: Tx, row: NewMigrationRow): Promise<number> {
  const { id } = await tx
    .insertInto('repository_migrations')
    .values(row)
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function setSecrets(tx: Tx, id: number, secrets: string): Promise<void> {
  await tx.updateTable('repository_migrations').set({ secrets }).where('id', '=', id).execute();
}

/** Counts migrations that have not ended: all, those of a requester, and those of the requester with the same aim. */
export async function countActive(
  db: Db,
  aim: { readonly requesterId: number; readonly ownerId: number; readonly name: string },
): Promise<{ readonly all: number; readonly own: number; readonly same: number }> {
  const isOwn = fragment`requester_id = ${aim.requesterId}`;
  const isSame = fragment`${isOwn} and owner_id = ${aim.ownerId} and lower(name) = ${aim.name.toLowerCase()}`;
  const row = await queryFirst<{ all_count: number; own: number; same: number }>(
    db,
    fragment`select count(*) as all_count, count(case when ${isOwn} then 1 end) as own,
      count(case when ${isSame} then 1 end) as same
    from repository_migrations where ended_at is null`,
  );
  return { all: row?.all_count ?? 0, own: row?.own ?? 0, same: row?.same ?? 0 };
}

/** Lists the migrations of a requester, the newest first. */
export function listMigrations(db: Db, requesterId: number, paging: Paging): Promise<Page<Migration>> {
  const from = fragment`repository_migrations where requester_id = ${requesterId}`;
  const list = { select: raw('*'), from, orderBy: raw('id desc') };
  return queryPage<MigrationRow, Migration>(db, list, paging, migrationOf);
}

export async function findMigration(db: Db, id: number, requesterId: number): Promise<Migration | undefined> {
  const row = await queryFirst<MigrationRow>(
    db,
    fragment`select * from repository_migrations where id = ${id} and requester_id = ${requesterId}`,
  );
  return row && migrationOf(row);
}

export async function listStatuses(db: Db, ids: readonly number[]): Promise<readonly MigrationStatus[]> {
  const rows = await query<MigrationRow>(
    db,
    fragment`select id, state, run, repository_id, failure from repository_migrations
      where id in (${values(ids)})`,
  );
  return rows.map((row) => ({
    id: row.id,
    state: row.state,
    run: row.run,
    repositoryId: row.repository_id,
    failure: failureOf(row),
  }));
}

/** The remains of an attempt, after another attempt has taken it over. */
export interface Remains extends Run {
  readonly pendingId: RepositoryId | null;
}

/** Lists the attempts in a place that have left something. No other attempt may run in the place now. */
export async function listLeft(db: Db, { requesterId, slot }: RequesterPlace): Promise<readonly Run[]> {
  return query<Run>(db, fragment`${LEFT} and requester_id = ${requesterId} and slot = ${slot}`);
}

/** Finds the attempt of a canceled migration that has left something. */
export async function findCanceledLeft(db: Db, id: number): Promise<Run | undefined> {
  return queryFirst<Run>(db, fragment`${LEFT} and id = ${id} and state = 'canceled'`);
}

const LEFT = raw('select id, run from repository_migrations where run is not null');

/**
 * Gives an attempt a new name, which only its successor knows. If the process of the attempt is still alive, it cannot
 * record anything from then on.
 *
 * @returns undefined if nothing is left of it
 */
export async function takeOver(tx: Tx, { id, run }: Run, successor: string): Promise<Remains | undefined> {
  const row = await queryFirst<{ pending_id: number | null }>(
    tx,
    fragment`update repository_migrations set run = ${successor} where id = ${id} and run = ${run}
      returning pending_id`,
  );
  return row && { id, run: successor, pendingId: row.pending_id };
}

/** Lists the requesters of migrations that wait or run. */
export async function listWaitingRequesters(db: Db): Promise<readonly number[]> {
  const rows = await query<{ requester_id: number }>(
    db,
    fragment`select distinct requester_id from repository_migrations where ended_at is null`,
  );
  return rows.map((row) => row.requester_id);
}

/** Takes the migration of a requester that is due the longest. @returns undefined if none is due */
export async function startDue(
  tx: Tx,
  { requesterId, slot }: RequesterPlace,
  attempt: { readonly run: string; readonly now: number },
): Promise<MigrationRow | undefined> {
  const { run, now } = attempt;
  const due = fragment`requester_id = ${requesterId} and state = 'waiting' and due_at <= ${now}`;
  return queryFirst<MigrationRow>(
    tx,
    fragment`update repository_migrations
    set state = 'running', slot = ${slot}, run = ${run}, attempts = attempts + 1,
      begun_at = coalesce(begun_at, ${now})
    where state = 'waiting'
      and id = (select id from repository_migrations where ${due} order by due_at, id limit 1)
    returning *`,
  );
}

/** Finds when the next migration of a requester is due, ms; undefined if none waits. */
export async function findNextDue(db: Db, requesterId: number): Promise<number | undefined> {
  const row = await queryFirst<{ due_at: number | null }>(
    db,
    fragment`select min(due_at) as due_at from repository_migrations
      where requester_id = ${requesterId} and state = 'waiting'`,
  );
  return row?.due_at ?? undefined;
}

type Change = Partial<Omit<MigrationRow, 'id' | 'requester_id'>>;

/**
 * Changes the row of a running attempt.
 *
 * @returns whether it still runs, because it was neither canceled nor taken over
 */
export async function setRunning(tx: Tx, { id, run }: Run, change: Change): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('repository_migrations')
    .set(change)
    .where('id', '=', id)
    .where('run', '=', run)
    .where('state', '=', 'running')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Records that nothing is left of an attempt. */
export async function setReleased(tx: Tx, { id, run }: Run): Promise<void> {
  await tx
    .updateTable('repository_migrations')
    .set({ run: null, pending_id: null, slot: null })
    .where('id', '=', id)
    .where('run', '=', run)
    .execute();
}

/** Cancels a migration that has not ended. @returns whether there was one */
export async function setCanceled(
  tx: Tx,
  { id, requesterId }: { readonly id: number; readonly requesterId: number },
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('repository_migrations')
    .set({ state: 'canceled', ended_at: now, secrets: null })
    .where('id', '=', id)
    .where('requester_id', '=', requesterId)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes the record of a migration of which nothing is left. */
export async function deleteEnded(tx: Tx, id: number): Promise<void> {
  await tx
    .deleteFrom('repository_migrations')
    .where('id', '=', id)
    .where('ended_at', 'is not', null)
    .where('run', 'is', null)
    .execute();
}

/** Deletes the records of migrations that ended before a time. */
export async function deleteEndedBefore(tx: Tx, since: number): Promise<void> {
  await tx
    .deleteFrom('repository_migrations')
    .where('ended_at', '<', since)
    .where('run', 'is', null)
    .execute();
}

/** Deletes the records of ended migrations of a requester, except for the newest ones. */
export async function deleteEndedBeyond(tx: Tx, requesterId: number, keptMax: number): Promise<void> {
  const ended = fragment`requester_id = ${requesterId} and ended_at is not null and run is null`;
  await query(
    tx,
    fragment`delete from repository_migrations where ${ended} and id <= (
      select id from repository_migrations where ${ended} order by id desc limit 1 offset ${keptMax})`,
  );
}
