import type { Tx } from '../../base/database/database.ts';
import { addToStarredCount, subtractStarsOf } from './store/starred.ts';

/** Changes the number of repositories that an account has starred. */
export function countStarred(tx: Tx, accountId: number, by: 1 | -1): Promise<void> {
  return addToStarredCount(tx, accountId, by);
}

/** Updates the counts of the accounts that have starred repositories, before the stars are deleted. */
export function uncountStarsOf(tx: Tx, repositoryIds: readonly number[]): Promise<void> {
  return subtractStarsOf(tx, repositoryIds);
}
