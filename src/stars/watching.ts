import { lockKind } from '../accounts/locks.ts';
import type { Tx } from '../database/database.ts';
import type { RepositoryId } from '../git/model.ts';
import { changeCounts } from '../repositories/derived.ts';
import { WATCH } from './actions.ts';
import { type MarkDependencies, Marks } from './marks.ts';
import { deleteBlindWatches, WATCH_ROWS } from './store.ts';

/** Who wants to hear of everything in a repository: whoever made it, and whoever has asked for it. */
export function createWatching(dependencies: MarkDependencies): Marks {
  const { repositories } = dependencies;
  repositories.onCreated((tx, { repositoryId, makerId }) => watchMade(tx, repositoryId, makerId));
  repositories.collaborators.onRemoved((tx, { repositoryId }) => removeBlind(tx, repositoryId));
  repositories.onVisibilityChanged((tx, { repositoryId }) => removeBlind(tx, repositoryId));
  return new Marks(dependencies, {
    what: 'subscription',
    actions: { read: WATCH.read, change: WATCH.change, list: WATCH.list },
    events: { added: 'repository.watched', removed: 'repository.unwatched' },
    rows: WATCH_ROWS,
    count: (tx, { repositoryId }, by) => changeCounts(tx, repositoryId, { watchers: by }),
    listBy: (viewer, accountId, paging) => repositories.listWatchedBy(viewer, accountId, paging),
  });
}

async function watchMade(tx: Tx, repositoryId: RepositoryId, makerId: number): Promise<void> {
  // An administrator may act as an organization, which watches nothing.
  if ((await lockKind(tx, makerId)) !== 'user') return;
  if (!(await WATCH_ROWS.insert(tx, { accountId: makerId, repositoryId }))) return;
  await changeCounts(tx, repositoryId, { watchers: 1 });
}

/**
 * Ends the watches of those who do not see the repository any more. Whoever loses it in another way (by a team, by the
 * visibility of its owner) is left out of every list as long as that lasts.
 */
async function removeBlind(tx: Tx, repositoryId: RepositoryId): Promise<void> {
  const count = await deleteBlindWatches(tx, repositoryId);
  if (count > 0) await changeCounts(tx, repositoryId, { watchers: -count });
}
