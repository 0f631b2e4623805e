import { sql } from 'kysely';
import type { Tx } from '../../database/database.ts';
import type { RepositoryId } from '../../git/model.ts';
import type { RepositoryCounts } from '../derived.ts';

/** Adds to what stands there; a negative number takes away. */
export async function addToCounts(
  tx: Tx,
  id: RepositoryId,
  { stars = 0, watchers = 0 }: RepositoryCounts,
): Promise<void> {
  await tx
    .updateTable('repositories')
    .set({
      stars_count: sql<number>`stars_count + ${stars}`,
      watchers_count: sql<number>`watchers_count + ${watchers}`,
    })
    .where('id', '=', id)
    .execute();
}

/** Takes what an account has starred and watches out of the counts of those repositories. */
export async function takeAccountFromCounts(tx: Tx, accountId: number): Promise<void> {
  await tx
    .updateTable('repositories')
    .set({ stars_count: sql<number>`stars_count - 1` })
    .where('id', 'in', (from) =>
      from.selectFrom('stars').select('repository_id').where('account_id', '=', accountId),
    )
    .execute();
  await tx
    .updateTable('repositories')
    .set({ watchers_count: sql<number>`watchers_count - 1` })
    .where('id', 'in', (from) =>
      from.selectFrom('watches').select('repository_id').where('account_id', '=', accountId),
    )
    .execute();
}

export async function setTopicsText(tx: Tx, id: RepositoryId, topics: string): Promise<void> {
  await tx.updateTable('repositories').set({ topics }).where('id', '=', id).execute();
}

/** @returns whether the repository is there */
export async function setMainLanguage(tx: Tx, id: RepositoryId, language: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('repositories')
    .set({ language })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
