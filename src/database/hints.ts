/**
 * That there is something new to be read. Only a hint: it may come late, twice, or not at all, so whoever listens looks
 * by itself now and then, too.
 */
export type Hint = 'events' | 'jobs';

export const HINTS: readonly Hint[] = ['events', 'jobs'];

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
