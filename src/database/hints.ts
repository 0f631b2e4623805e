import type { Tx } from './database.ts';

/**
 * That there is something new to be read. Only a hint: it may come late, twice, or not at all, so whoever listens looks
 * by itself now and then, too.
 */
export type Hint = 'events' | 'jobs';

export const HINTS: readonly Hint[] = ['events', 'jobs'];

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

/** Who listens in this process. */
export class HintListeners {
  readonly #listeners = new Map<Hint, Set<() => void>>();

  /** @returns ends the listening */
  on(hint: Hint, listener: () => void): () => void {
    const listeners = this.#listeners.get(hint) ?? new Set();
    this.#listeners.set(hint, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  tell(hint: Hint): void {
    for (const listener of this.#listeners.get(hint) ?? []) listener();
  }
}
