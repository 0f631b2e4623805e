import type { Database } from './database.ts';
import type { Hint } from './hints.ts';
import { DATABASE_LIMITS } from './limits.ts';
import { Rested } from './rested.ts';

/**
 * Calls `listener` after a hint, and at most once for all hints of each `DATABASE_LIMITS.hintRestMs`.
 *
 * @returns a function that removes the listener
 */
export function onRestedHint(
  database: Pick<Database, 'onHint'>,
  hint: Hint,
  listener: () => void,
): () => void {
  const rested = new Rested(DATABASE_LIMITS.hintRestMs, listener);
  const deafen = database.onHint(hint, () => rested.ask());
  return () => {
    deafen();
    rested.end();
  };
}
