import type { Tx } from '../../base/database/database.ts';
import { addToStarredCount, subtractStarsOf } from '../../people/accounts/writes.ts';
import type { NewBlock } from '../../people/blocks/model.ts';
import type { VisibilityChange } from '../repositories/settings/edit.ts';
import { addToRepositoryCounts } from '../repositories/writes.ts';
import { STAR } from './actions.ts';
import { REPOSITORY_STARRED, REPOSITORY_UNSTARRED } from './events.ts';
import { type MarkDependencies, Marks } from './marks.ts';
import { deleteMarksWith, deleteStarsOf, STAR_ROWS } from './store.ts';

/** Stars: users' bookmarks on repositories. */
export function starMarks(dependencies: MarkDependencies): Marks {
  const { repositories } = dependencies;
  return new Marks(dependencies, {
    what: 'star',
    actions: STAR,
    events: { added: REPOSITORY_STARRED, removed: REPOSITORY_UNSTARRED },
    rows: STAR_ROWS,
    count: async (tx, { accountId, repositoryId }, by) => {
      await addToRepositoryCounts(tx, [repositoryId], { stars: by });
      await addToStarredCount(tx, accountId, by);
    },
    listBy: (viewer, accountId, paging) => repositories.lists.starredBy(viewer, accountId, paging),
  });
}

/** Removes the stars of a user on the repositories of an owner who has blocked the user, without events. */
export async function removeStarsOfBlocked(tx: Tx, { blockerId, accountId }: NewBlock): Promise<void> {
  const ids = await deleteMarksWith(tx, 'stars', { ownerId: blockerId, accountId });
  if (ids.length === 0) return;
  await addToRepositoryCounts(tx, ids, { stars: -1 });
  await addToStarredCount(tx, accountId, -ids.length);
}

/** Removes all stars of repositories that become private. */
export async function removeStarsOfPrivate(
  tx: Tx,
  { repositoryIds, isPrivate }: VisibilityChange,
): Promise<void> {
  if (!isPrivate) return;
  await subtractStarsOf(tx, repositoryIds);
  for (const [stars, ids] of await deleteStarsOf(tx, repositoryIds))
    await addToRepositoryCounts(tx, ids, { stars: -stars });
}
