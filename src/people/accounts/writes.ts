import { sql } from 'kysely';
import type { Tx } from '../../base/database/database.ts';

/** Adds to the number of repositories that an account has starred. */
export async function addToStarredCount(tx: Tx, accountId: number, by: 1 | -1): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ starred_count: sql<number>`starred_count + ${by}` })
    .where('id', '=', accountId)
    .execute();
}

/** Subtracts the stars on repositories from the counts of the accounts that have starred them. */
export async function subtractStarsOf(tx: Tx, repositoryIds: readonly number[]): Promise<void> {
  await tx
    .updateTable('accounts')
    .set((of) => ({
      starred_count: of(
        'starred_count',
        '-',
        of
          .selectFrom('stars')
          .select((star) => star.fn.countAll<number>().as('count'))
          .whereRef('stars.account_id', '=', 'accounts.id')
          .where('stars.repository_id', 'in', repositoryIds),
      ),
    }))
    .where('id', 'in', (of) =>
      of.selectFrom('stars').select('account_id').where('repository_id', 'in', repositoryIds),
    )
    .execute();
}
