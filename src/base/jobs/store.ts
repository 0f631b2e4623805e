import { sql } from 'kysely';
import type { Db, Tx } from '../database/database.ts';
import { fragment, joined } from '../database/fragment.ts';
import { query, queryFirst } from '../database/query.ts';
import type { FailedJob, JobCounts, JobState, LeasedJob } from './model.ts';
import type { EndedRow, NextRow } from './row-after-run.ts';

/**
 * Requests work of one kind. If it is already waiting, its row keeps the earlier time, or after a failure the time of the
 * next attempt. If it is running, the row waits for the run to end. If it was given up, it gets all its attempts again.
 *
 * @param jobs with different keys; not empty
 */
export async function insertJobs(
  tx: Tx,
  kind: string,
  jobs: readonly { key: string; payload: string; runAt: number; now: number }[],
): Promise<void> {
  const rows = jobs.map((job) => fragment`(${kind}, ${job.key}, ${job.payload}, ${job.runAt}, ${job.now})`);
  await query(
    tx,
    fragment`insert into jobs (kind, key, payload, run_at, created_at) values ${joined(rows, ', ')}
    on conflict (kind, key) do update set
      revision = jobs.revision + 1,
      payload = excluded.payload,
      attempts = case when jobs.run_at is null then 0 else jobs.attempts end,
      run_at = case
        when jobs.leased_by is not null or jobs.run_at is null then excluded.run_at
        when jobs.attempts > 0 or jobs.run_at < excluded.run_at then jobs.run_at
        else excluded.run_at end`,
  );
}

/** Inserts the permanent rows of recurring work. Does nothing for existing ones. */
export async function insertRecurringJobs(
  tx: Tx,
  jobs: readonly { kind: string; runAt: number }[],
  now: number,
): Promise<void> {
  await tx
    .insertInto('jobs')
    .values(jobs.map(({ kind, runAt }) => ({ kind, key: '', payload: '{}', run_at: runAt, created_at: now })))
    .onConflict((conflict) => conflict.columns(['kind', 'key']).doNothing())
    .execute();
}

export async function listRecurringKinds(db: Db, kinds: readonly string[]): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('kind')
    .where('kind', 'in', kinds)
    .where('key', '=', '')
    .execute();
  return rows.map((row) => row.kind);
}

/** Lists the rows of recurring work of these kinds. */
export async function listRecurring(db: Db, kinds: readonly string[]): Promise<readonly RecurringRow[]> {
  if (kinds.length === 0) return [];
  const rows = await db
    .selectFrom('jobs')
    .select(['kind', 'run_at', 'runs', 'last_run_at'])
    .where('kind', 'in', kinds)
    .where('key', '=', '')
    .execute();
  return rows.map((row) => ({
    kind: row.kind,
    nextAt: row.run_at,
    runs: row.runs,
    lastRunAt: row.last_run_at,
  }));
}

/** Makes recurring work due now. A run at the moment does not count as the requested one. */
export async function setRecurringDue(tx: Tx, kinds: readonly string[], now: number): Promise<void> {
  if (kinds.length === 0) return;
  await tx
    .updateTable('jobs')
    .set({ run_at: now, revision: sql<number>`revision + 1` })
    .where('kind', 'in', kinds)
    .where('key', '=', '')
    .execute();
}

export async function findJob(db: Db, kind: string, key: string): Promise<JobState | undefined> {
  const row = await db
    .selectFrom('jobs')
    .select(['leased_by', 'attempts', 'last_error'])
    .where('kind', '=', kind)
    .where('key', '=', key)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { isRunning: row.leased_by !== null, attempts: row.attempts, lastError: row.last_error ?? '' };
}

export interface RecurringRow {
  readonly kind: string;
  /** ms; null: with the next period */
  readonly nextAt: number | null;
  readonly runs: number;
  /** ms; null: never */
  readonly lastRunAt: number | null;
}

export interface DueJob {
  readonly id: number;
  readonly kind: string;
}

/** Lists due work of these kinds that no process has leased, earliest first. */
export async function listDueJobs(
  db: Db,
  options: {
    kinds: readonly string[];
    dueBy: number;
    now: number;
    without: readonly number[];
    limit: number;
  },
): Promise<readonly DueJob[]> {
  let due = db
    .selectFrom('jobs')
    .select(['id', 'kind'])
    .where('run_at', '<=', options.dueBy)
    .where((of) => of.or([of('leased_until', 'is', null), of('leased_until', '<=', options.now)]))
    .where('kind', 'in', options.kinds);
  if (options.without.length > 0) due = due.where('id', 'not in', options.without);
  return due.orderBy('run_at').orderBy('id').limit(options.limit).execute();
}

/** Finds the time of the next unleased work of these kinds; undefined if none is waiting. */
export async function findNextDueAt(
  db: Db,
  kinds: readonly string[],
  now: number,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('jobs')
    .select('run_at')
    .where('run_at', 'is not', null)
    .where((of) => of.or([of('leased_until', 'is', null), of('leased_until', '<=', now)]))
    .where('kind', 'in', kinds)
    .orderBy('run_at')
    .limit(1)
    .executeTakeFirst();
  return row?.run_at ?? undefined;
}

/**
 * Leases one row for this process with one statement, which succeeds in only one process.
 *
 * @returns undefined if another process was faster
 */
export async function leaseJob(
  tx: Tx,
  id: number,
  terms: { lease: string; until: number; dueBy: number; now: number },
): Promise<LeasedJob | undefined> {
  const row = await queryFirst<{ kind: string; key: string; payload: string; attempts: number }>(
    tx,
    fragment`update jobs
    set leased_by = ${terms.lease}, leased_until = ${terms.until}, leased_revision = revision, attempts = attempts + 1
    where id = ${id} and run_at <= ${terms.dueBy} and (leased_until is null or leased_until <= ${terms.now})
    returning kind, key, payload, attempts`,
  );
  if (row === undefined) return undefined;
  const { kind, key, payload, attempts } = row;
  return { id, kind, key, payload, attempt: attempts, lease: terms.lease, leasedAt: terms.now };
}

/** @returns whether this process still held the lease */
export async function extendLease(tx: Tx, job: LeasedJob, until: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('jobs')
    .set({ leased_until: until })
    .where('id', '=', job.id)
    .where('leased_by', '=', job.lease)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Locks the row of an ended run until the transaction ends. Returns undefined if the lease was lost. */
export async function lockEndedJob(tx: Tx, job: LeasedJob): Promise<EndedRow | undefined> {
  const row = await tx
    .updateTable('jobs')
    .set({ leased_by: sql<string>`leased_by` })
    .where('id', '=', job.id)
    .where('leased_by', '=', job.lease)
    .returning(['attempts', 'revision', 'leased_revision', 'run_at', 'last_error', 'failed_at'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    attempts: row.attempts,
    isWantedAgain: row.revision !== row.leased_revision,
    runAt: row.run_at,
    lastError: row.last_error,
    failedAt: row.failed_at,
  };
}

/**
 * Writes the columns after a run and ends the lease.
 *
 * @param next.endedRunAt start of the run, in ms, if it counts; null otherwise
 */
export async function setNextRow(
  tx: Tx,
  id: number,
  next: NextRow & { readonly endedRunAt: number | null },
): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({
      attempts: next.attempts,
      run_at: next.runAt,
      last_error: next.lastError,
      failed_at: next.failedAt,
      leased_by: null,
      leased_until: null,
      leased_revision: null,
      ...(next.endedRunAt === null ? {} : { runs: sql<number>`runs + 1`, last_run_at: next.endedRunAt }),
    })
    .where('id', '=', id)
    .execute();
}

export async function deleteJob(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('jobs').where('id', '=', id).execute();
}

/** Lists failed jobs, latest first. */
export async function listFailedJobs(db: Db, limit: number): Promise<readonly FailedJob[]> {
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'kind', 'key', 'attempts', 'last_error', 'failed_at'])
    .where('failed_at', 'is not', null)
    .orderBy('failed_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    key: row.key,
    attempts: row.attempts,
    lastError: row.last_error ?? '',
    failedAt: row.failed_at ?? 0,
  }));
}

/** Makes given-up work due now with all its attempts. @returns the number of jobs */
export async function setFailedDue(tx: Tx, now: number): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('jobs')
    .set({ run_at: now, attempts: 0 })
    .where('failed_at', 'is not', null)
    .where('leased_by', 'is', null)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Moves the time of all work that waits. */
export async function moveWaitingJobs(tx: Tx, byMs: number): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ run_at: sql<number>`run_at + ${byMs}` })
    .where('run_at', 'is not', null)
    .execute();
}

export async function countJobs(db: Db, now: number): Promise<JobCounts> {
  const row = await queryFirst<JobCounts>(
    db,
    fragment`select
    coalesce(sum(case when run_at is not null and (leased_until is null or leased_until <= ${now})
      then 1 else 0 end), 0) as waiting,
    coalesce(sum(case when leased_until > ${now} then 1 else 0 end), 0) as running,
    coalesce(sum(case when failed_at is not null then 1 else 0 end), 0) as failed
    from jobs`,
  );
  return row ?? { waiting: 0, running: 0, failed: 0 };
}
