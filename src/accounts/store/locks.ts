import { sql } from 'kysely';
import type { Tx } from '../../database/database.ts';
import type { AccountKind } from '../model.ts';

/** Holds an account as it is until the transaction ends. @returns its kind; undefined where it is gone */
export async function lockAccount(tx: Tx, id: number): Promise<AccountKind | undefined> {
  const row = await tx
    .updateTable('accounts')
    .set({ starred_count: sql<number>`starred_count` })
    .where('id', '=', id)
    .returning('kind')
    .executeTakeFirst();
  return row?.kind;
}
