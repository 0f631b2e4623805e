import type { Tx } from '../database/database.ts';
import { addToStarredCount, takeStarOfRepository } from './store/starred.ts';

/** One more, or one fewer, of the repositories that an account has starred. */
export function countStarred(tx: Tx, accountId: number, by: 1 | -1): Promise<void> {
  return addToStarredCount(tx, accountId, by);
}

/** Before a repository loses all its stars. */
export function uncountStarsOf(tx: Tx, repositoryId: number): Promise<void> {
  return takeStarOfRepository(tx, repositoryId);
}
