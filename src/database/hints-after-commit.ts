import type { Tx } from './database.ts';
import type { Hint } from './hints.ts';

const wantedBy = new WeakMap<Tx, Set<Hint>>();

/** Tells those who listen once the transaction is committed, and nobody if it is not. */
export function hintAfterCommit(tx: Tx, hint: Hint): void {
  const wanted = wantedBy.get(tx) ?? new Set();
  wantedBy.set(tx, wanted.add(hint));
}

/**
 * Runs a transaction and tells of what it asked for.
 *
 * @param run carries `work` out in a transaction and commits it
 */
export async function withHints<T>(
  run: (work: (tx: Tx) => Promise<T>) => Promise<T>,
  work: (tx: Tx) => Promise<T>,
  tell: (hint: Hint) => void,
): Promise<T> {
  let committed: Tx | undefined;
  const result = await run((tx) => {
    committed = tx;
    return work(tx);
  });
  const hints = committed === undefined ? undefined : wantedBy.get(committed);
  for (const hint of hints ?? []) tell(hint);
  return result;
}
