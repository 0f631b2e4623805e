import type { Database } from '../../base/database/database.ts';
import type { RepositoryId } from '../model.ts';
import { deleteTombstones, hasTombstones, lockGitRepository, setCompactedGen } from '../store.ts';

/**
 * Deletes the rows of refs that were deleted before the previous compaction, so the time between two compactions is the
 * minimum time for which these rows remain.
 *
 * @returns whether there are younger rows, for another compaction
 */
export function compactRefs(database: Database, id: RepositoryId): Promise<boolean> {
  return database.transaction(async (tx) => {
    const row = await lockGitRepository(tx, id);
    if (row === undefined) return false;
    await deleteTombstones(tx, id, row.compactedGen);
    await setCompactedGen(tx, id, row.gen);
    return hasTombstones(tx, id);
  });
}
