import { sql } from 'kysely';
import type { Tx } from '../../database/database.ts';

export async function addToStarredCount(tx: Tx, accountId: number, by: 1 | -1): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ starred_count: sql<number>`starred_count + ${by}` })
    .where('id', '=', accountId)
    .execute();
}

/** Subtracts the star on a repository from the count of each account that has starred it. */
export async function subtractStarsOf(tx: Tx, repositoryId: number): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ starred_count: sql<number>`starred_count - 1` })
    .where('id', 'in', (from) =>
      from.selectFrom('stars').select('account_id').where('repository_id', '=', repositoryId),
    )
    .execute();
}
