import { sql } from 'kysely';
import { dialectOf, type Tx } from '../../database/database.ts';
import { fragment } from '../../database/fragment.ts';
import { queryFirst } from '../../database/query.ts';
import type { AccountKind } from '../model.ts';

/** Key of the PostgreSQL lock for the visibility of accounts and repositories. */
const VISIBILITY_LOCK_KEY = 7_119_216;

export async function lockVisibility(tx: Tx, { isShared }: { isShared: boolean }): Promise<void> {
  // On SQLite, the transaction holds the only write lock.
  if (dialectOf(tx) !== 'postgres') return;
  const lock = sql.raw(isShared ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock');
  await sql`select ${lock}(${VISIBILITY_LOCK_KEY})`.execute(tx);
}

/** Locks an account until the transaction ends. @returns its kind; undefined if it does not exist */
export async function lockAccount(tx: Tx, id: number): Promise<AccountKind | undefined> {
  // On SQLite, the transaction holds the only write lock.
  const statement =
    dialectOf(tx) === 'sqlite'
      ? fragment`select kind from accounts where id = ${id}`
      : fragment`update accounts set starred_count = starred_count where id = ${id} returning kind`;
  const row = await queryFirst<{ kind: AccountKind }>(tx, statement);
  return row?.kind;
}
