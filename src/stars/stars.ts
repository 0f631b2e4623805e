import { countStarred, uncountStarsOf } from '../accounts/starred.ts';
import type { Tx } from '../database/database.ts';
import type { RepositoryId } from '../git/model.ts';
import { changeCounts } from '../repositories/derived.ts';
import { STAR } from './actions.ts';
import { type MarkDependencies, Marks } from './marks.ts';
import { deleteStarsOf, STAR_ROWS } from './store.ts';

/** Repositories that somebody wants to find again. */
export function createStars(dependencies: MarkDependencies): Marks {
  const { repositories } = dependencies;
  repositories.onDeleted(uncountStarsOf);
  repositories.onVisibilityChanged(async (tx, { repositoryId, isPrivate }) => {
    if (isPrivate) await removeAllOf(tx, repositoryId);
  });
  return new Marks(dependencies, {
    what: 'star',
    actions: { read: STAR.read, change: STAR.change, list: STAR.list },
    events: { added: 'repository.starred', removed: 'repository.unstarred' },
    rows: STAR_ROWS,
    count: async (tx, { accountId, repositoryId }, by) => {
      await changeCounts(tx, repositoryId, { stars: by });
      await countStarred(tx, accountId, by);
    },
    listBy: (viewer, accountId, paging) => repositories.listStarredBy(viewer, accountId, paging),
  });
}

/** What has become private is nobody's to find again by a star. */
async function removeAllOf(tx: Tx, repositoryId: RepositoryId): Promise<void> {
  await uncountStarsOf(tx, repositoryId);
  const count = await deleteStarsOf(tx, repositoryId);
  if (count > 0) await changeCounts(tx, repositoryId, { stars: -count });
}
