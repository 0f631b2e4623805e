import type { Tx } from './database.ts';

/**
 * Lets other work of this process run in the middle of a long transaction. Readers go on meanwhile; on SQLite, other
 * writers wait until the transaction ends.
 */
export function pauseInTransaction(_tx: Tx): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
