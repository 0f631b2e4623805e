import { sql } from 'kysely';
import type { Tx } from '../../database/database.ts';
import type { AccountKind } from '../model.ts';

/** Locks an account until the transaction ends. @returns its kind; undefined if it does not exist */
export async function lockAccount(tx: Tx, id: number): Promise<AccountKind | undefined> {
  const row = await tx
    .updateTable('accounts')
    .set({ starred_count: sql<number>`starred_count` })
    .where('id', '=', id)
    .returning('kind')
    .executeTakeFirst();
  return row?.kind;
}
