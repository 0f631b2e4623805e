import type { Tx } from './database.ts';
import type { Hint } from './hints.ts';

const requestedBy = new WeakMap<Tx, Set<Hint>>();

/** Notifies listeners after the transaction commits. */
export function hintAfterCommit(tx: Tx, hint: Hint): void {
  const requested = requestedBy.get(tx) ?? new Set();
  requestedBy.set(tx, requested.add(hint));
}

/**
 * Runs a transaction and then sends the hints that it requested.
 *
 * @param run runs `work` in a transaction and commits it
 */
export async function withHints<T>(
  run: (work: (tx: Tx) => Promise<T>) => Promise<T>,
  work: (tx: Tx) => Promise<T>,
  notify: (hint: Hint) => void,
): Promise<T> {
  let committed: Tx | undefined;
  const result = await run((tx) => {
    committed = tx;
    return work(tx);
  });
  const hints = committed === undefined ? undefined : requestedBy.get(committed);
  for (const hint of hints ?? []) notify(hint);
  return result;
}
