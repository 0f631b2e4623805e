import { sql } from 'kysely';
import { dialectOf, type Tx } from '../../../base/database/database.ts';
import { fragment } from '../../../base/database/fragment.ts';
import { queryFirst } from '../../../base/database/query.ts';
import type { Account, AccountKind } from '../model.ts';
import { accountOf } from './accounts.ts';

/** Key of the PostgreSQL lock for changes that could remove the last administrator. */
const ADMINISTRATORS_LOCK_KEY = 7_119_215;
/** Key of the PostgreSQL lock for the visibility of accounts and repositories. */
const VISIBILITY_LOCK_KEY = 7_119_216;
/** Key of the PostgreSQL lock for what organizations require of their members. */
const REQUIREMENTS_LOCK_KEY = 7_119_217;

export function lockVisibility(tx: Tx, options: { isShared: boolean }): Promise<void> {
  return lockKey(tx, VISIBILITY_LOCK_KEY, options);
}

export function lockRequirements(tx: Tx, options: { isShared: boolean }): Promise<void> {
  return lockKey(tx, REQUIREMENTS_LOCK_KEY, options);
}

async function lockKey(tx: Tx, key: number, { isShared }: { isShared: boolean }): Promise<void> {
  // On SQLite, the transaction holds the only write lock.
  if (dialectOf(tx) !== 'postgres') return;
  const lock = sql.raw(isShared ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock');
  await sql`select ${lock}(${key})`.execute(tx);
}

/** Makes changes of administrators wait for each other, in all processes. Holds the lock until the transaction ends. */
export async function lockAdministrators(tx: Tx): Promise<void> {
  // On SQLite, the transaction begins IMMEDIATE and holds the only write lock.
  if (dialectOf(tx) === 'postgres')
    await sql`select pg_advisory_xact_lock(${ADMINISTRATORS_LOCK_KEY})`.execute(tx);
}

/**
 * Reads an account and locks it until the transaction ends. Finds it by its id, because another account may have taken
 * the name since the lookup.
 */
export async function lockAccount(tx: Tx, id: number): Promise<Account | undefined> {
  const row = await tx
    .updateTable('accounts')
    .set({ updated_at: sql<number>`updated_at` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? undefined : accountOf(row);
}

/** Locks an account until the transaction ends. @returns its kind; undefined if it does not exist */
export async function lockKind(tx: Tx, id: number): Promise<AccountKind | undefined> {
  // On SQLite, the transaction holds the only write lock.
  const statement =
    dialectOf(tx) === 'sqlite'
      ? fragment`select kind from accounts where id = ${id}`
      : fragment`update accounts set starred_count = starred_count where id = ${id} returning kind`;
  const row = await queryFirst<{ kind: AccountKind }>(tx, statement);
  return row?.kind;
}
