import type { Tx } from '../../base/database/database.ts';
import { countStarred, uncountStarsOf } from '../../people/accounts/starred.ts';
import { changeCounts } from '../repositories/derived.ts';
import type { VisibilityChange } from '../repositories/settings/edit.ts';
import { STAR } from './actions.ts';
import { REPOSITORY_STARRED, REPOSITORY_UNSTARRED } from './events.ts';
import { type MarkDependencies, Marks } from './marks.ts';
import { deleteStarsOf, STAR_ROWS } from './store.ts';

/** Stars: users' bookmarks on repositories. */
export function starMarks(dependencies: MarkDependencies): Marks {
  const { repositories } = dependencies;
  return new Marks(dependencies, {
    what: 'star',
    actions: STAR,
    events: { added: REPOSITORY_STARRED, removed: REPOSITORY_UNSTARRED },
    rows: STAR_ROWS,
    count: async (tx, { accountId, repositoryId }, by) => {
      await changeCounts(tx, [repositoryId], { stars: by });
      await countStarred(tx, accountId, by);
    },
    listBy: (viewer, accountId, paging) => repositories.listStarredBy(viewer, accountId, paging),
  });
}

/** Removes all stars of repositories that become private. */
export async function removeStarsOfPrivate(
  tx: Tx,
  { repositoryIds, isPrivate }: VisibilityChange,
): Promise<void> {
  if (!isPrivate) return;
  await uncountStarsOf(tx, repositoryIds);
  for (const [stars, ids] of await deleteStarsOf(tx, repositoryIds))
    await changeCounts(tx, ids, { stars: -stars });
}
