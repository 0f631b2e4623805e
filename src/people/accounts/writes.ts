import { sql } from 'kysely';
import type { Tx } from '../../base/database/database.ts';

/** Adds to the number of repositories that an account has starred. */
export async function addToStarredCount(tx: Tx, accountId: number, by: number): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ starred_count: sql<number>`starred_count + ${by}` })
    .where('id', '=', accountId)
    .execute();
}

/** Adds to the counts of two accounts of which one follows the other. @returns how many the follower follows */
export async function addToFollowCounts(
  tx: Tx,
  { followerId, followedId }: { readonly followerId: number; readonly followedId: number },
  by: 1 | -1,
): Promise<number> {
  const { following_count: following } = await tx
    .updateTable('accounts')
    .set({ following_count: sql<number>`following_count + ${by}` })
    .where('id', '=', followerId)
    .returning('following_count')
    .executeTakeFirstOrThrow();
  await tx
    .updateTable('accounts')
    .set({ followers_count: sql<number>`followers_count + ${by}` })
    .where('id', '=', followedId)
    .execute();
  return following;
}

/** Subtracts an account from the counts of those that it follows and that follow it, before it is deleted. */
export async function subtractFollowsOf(tx: Tx, accountId: number): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ followers_count: sql<number>`followers_count - 1` })
    .where('id', 'in', (of) =>
      of.selectFrom('follows').select('followed_id').where('follower_id', '=', accountId),
    )
    .execute();
  await tx
    .updateTable('accounts')
    .set({ following_count: sql<number>`following_count - 1` })
    .where('id', 'in', (of) =>
      of.selectFrom('follows').select('follower_id').where('followed_id', '=', accountId),
    )
    .execute();
}

/** Sets the name of the uploaded picture of an account; '' removes it. */
export async function setAvatar(tx: Tx, accountId: number, avatar: string): Promise<void> {
  await tx.updateTable('accounts').set({ avatar }).where('id', '=', accountId).execute();
}

/** Sets whether an account needs more than its password to sign in. */
export async function setHasSecondFactor(tx: Tx, accountId: number, has: boolean): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ has_second_factor: has ? 1 : 0, needs_second_factor: 0 })
    .where('id', '=', accountId)
    .execute();
}

/** Makes an account without a second factor set one up before anything else. */
export async function setNeedsSecondFactor(tx: Tx, accountId: number): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ needs_second_factor: 1 })
    .where('id', '=', accountId)
    .where('has_second_factor', '=', 0)
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
