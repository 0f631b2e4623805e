import { sql } from 'kysely';
import type { Tx } from '../../database/database.ts';

export async function addToStarredCount(tx: Tx, accountId: number, by: 1 | -1): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ starred_count: sql<number>`starred_count + ${by}` })
    .where('id', '=', accountId)
    .execute();
}

/** For everybody who has starred a repository that is about to lose its stars. */
export async function takeStarOfRepository(tx: Tx, repositoryId: number): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ starred_count: sql<number>`starred_count - 1` })
    .where('id', 'in', (from) =>
      from.selectFrom('stars').select('account_id').where('repository_id', '=', repositoryId),
    )
    .execute();
}
