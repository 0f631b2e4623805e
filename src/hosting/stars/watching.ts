import type { Tx } from '../../base/database/database.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import { lockKind } from '../../people/accounts/locks.ts';
import type { NewBlock } from '../../people/blocks/model.ts';
import type { CreatedRepository } from '../repositories/creation/model.ts';
import { addToRepositoryCounts } from '../repositories/writes.ts';
import { WATCH } from './actions.ts';
import { REPOSITORY_UNWATCHED, REPOSITORY_WATCHED } from './events.ts';
import { type MarkDependencies, Marks } from './marks.ts';
import { deleteMarksWith, deleteWatchesWithoutAccess, WATCH_ROWS } from './store.ts';

/** Watches: users' subscriptions to repositories. The creator of a repository watches it from the start. */
export function watchMarks(dependencies: MarkDependencies): Marks {
  const { repositories } = dependencies;
  return new Marks(dependencies, {
    what: 'subscription',
    actions: WATCH,
    events: { added: REPOSITORY_WATCHED, removed: REPOSITORY_UNWATCHED },
    rows: WATCH_ROWS,
    count: (tx, { repositoryId }, by) => addToRepositoryCounts(tx, [repositoryId], { watchers: by }),
    listBy: (viewer, accountId, paging) => repositories.lists.watchedBy(viewer, accountId, paging),
  });
}

/** Adds the watch of the user who created a repository. */
export async function watchCreated(tx: Tx, { repositoryId, makerId }: CreatedRepository): Promise<void> {
  // An administrator may act as an organization, and organizations do not watch.
  if ((await lockKind(tx, makerId)) !== 'user') return;
  if (!(await WATCH_ROWS.insert(tx, { accountId: makerId, repositoryId }))) return;
  await addToRepositoryCounts(tx, [repositoryId], { watchers: 1 });
}

/** Removes the watches of a user on the repositories of an owner who has blocked the user, without events. */
export async function removeWatchesOfBlocked(tx: Tx, { blockerId, accountId }: NewBlock): Promise<void> {
  const ids = await deleteMarksWith(tx, 'watches', { ownerId: blockerId, accountId });
  if (ids.length > 0) await addToRepositoryCounts(tx, ids, { watchers: -1 });
}

/**
 * Removes the watches of users from whom repositories are now hidden. A user who loses access in another way (by a team,
 * by the visibility of the owner) keeps the watch, but every list leaves it out until access returns.
 */
export async function removeWatchesWithoutAccess(
  tx: Tx,
  { repositoryIds }: { repositoryIds: readonly RepositoryId[] },
): Promise<void> {
  for (const [watchers, ids] of await deleteWatchesWithoutAccess(tx, repositoryIds))
    await addToRepositoryCounts(tx, ids, { watchers: -watchers });
}
