import { runForServer } from '../../base/core/fairness/caller.ts';
import type { Database, Tx } from '../../base/database/database.ts';

/**
 * Counts in memory what happens often, such as downloads, and writes the counts later. Counts that arrive during a write
 * are written together after it. A crash loses the counts that are not written yet.
 */
export class LateCounts<Key> {
  readonly #database: Database;
  readonly #add: (tx: Tx, key: Key, count: number) => Promise<void>;
  /** counts that are not written yet */
  readonly #counts = new Map<Key, number>();
  #writing: Promise<void> | undefined;

  /** @param add adds to the count of one row */
  constructor(database: Database, add: (tx: Tx, key: Key, count: number) => Promise<void>) {
    this.#database = database;
    this.#add = add;
  }

  /** Adds one to a count. Resolves when all counts so far are written. */
  count(key: Key): Promise<void> {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    this.#writing ??= runForServer(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    try {
      while (this.#counts.size > 0) {
        const counts = [...this.#counts];
        this.#counts.clear();
        await this.#database.transaction(async (tx) => {
          for (const [key, count] of counts) await this.#add(tx, key, count);
        });
      }
    } finally {
      this.#writing = undefined;
    }
  }
}
