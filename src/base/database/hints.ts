/**
 * A notice that new rows of this kind exist. It may come late, twice or not at all, so listeners also poll.
 */
export type Hint = 'events' | 'jobs' | 'migrations';

export const HINTS: readonly Hint[] = ['events', 'jobs', 'migrations'];

/** The listeners of this process. */
export class HintListeners {
  readonly #listeners = new Map<Hint, Set<() => void>>();

  /** @returns a function that removes the listener */
  on(hint: Hint, listener: () => void): () => void {
    const listeners = this.#listeners.get(hint) ?? new Set();
    this.#listeners.set(hint, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  notify(hint: Hint): void {
    for (const listener of this.#listeners.get(hint) ?? []) listener();
  }
}
