import { type Kysely, PostgresAdapter, sql, type Transaction } from 'kysely';
import type { Hint } from './hints.ts';
import type { Tables } from './schema/index.ts';

export type Dialect = 'sqlite' | 'postgres';

/** A handle for queries: the reader of a database, or a transaction. */
export type Db = Kysely<Tables>;

/** An open transaction. A function with this parameter must be called inside one. */
export type Tx = Transaction<Tables>;

export interface Database {
  readonly dialect: Dialect;
  /** Runs single statements that only read. Sees every committed change. */
  readonly reader: Db;
  /**
   * Runs `work` in one transaction and commits it durably.
   *
   * `work` awaits only calls on `tx`: the embedded database has one write connection for each process, and anything
   * else that `work` awaits blocks all other writers. There, transactions that come together share one commit, and a
   * failure of that commit fails all of them. `work` may run again after a conflict between two writers, so it
   * changes nothing outside `tx`.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Calls `listener` after each commit that requested this hint with `hintAfterCommit`, also in other processes that
   * share the database.
   *
   * @returns a function that removes the listener
   */
  onHint(hint: Hint, listener: () => void): () => void;
  /**
   * Returns a number that changes with each commit, also of other processes. Absent if the database answers over a
   * network, where asking takes as long as reading.
   */
  readonly dataVersion?: () => number;
  close(): Promise<void>;
}

export type Scalar = string | number | bigint | Uint8Array | null;

export function dialectOf(db: Db): Dialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/** Checks that the database responds. */
export async function ping(database: Database): Promise<void> {
  await sql`select 1`.execute(database.reader);
}

/** Whether a statement failed on a unique index, for example because the name is in use. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  // 2067 is SQLITE_CONSTRAINT_UNIQUE, 1555 SQLITE_CONSTRAINT_PRIMARYKEY; 23505 is PostgreSQL's unique_violation.
  return errcode === 2067 || errcode === 1555 || code === '23505';
}

/** Whether a statement failed on a foreign key: the referenced row is missing, or other rows reference a deleted one. */
export function isForeignKeyViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  // 787 is SQLITE_CONSTRAINT_FOREIGNKEY; 23503 is PostgreSQL's foreign_key_violation.
  return errcode === 787 || code === '23503';
}

/** Whether a statement failed because a table of it does not exist. */
export function isUnknownTable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  // PostgreSQL's undefined_table. SQLite has no code for it.
  return code === '42P01' || error.message.startsWith('no such table');
}
