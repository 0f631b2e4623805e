import { createSizedCache } from '../../../base/core/sized-cache.ts';
import type { Fragment } from '../../../base/database/fragment.ts';
import { REPOSITORY_LIMITS } from '../limits.ts';

type Defined = NonNullable<unknown>;

/**
 * Remembers what was read with a condition until a repository changes in a way that a search depends on.
 *
 * Finding the matches is the slowest part of a search. Viewers who share a condition share its matches.
 */
export class Remembered<Found extends Defined> {
  readonly #entries;

  /** @param bytesOf size of what was found */
  constructor(bytesOf: (found: Found) => number) {
    this.#entries = createSizedCache<string, { readonly found: Found; readonly version: string }>({
      sizeMax: REPOSITORY_LIMITS.searchesRememberedBytesMax,
      sizeOf: ({ found }, key) => key.length + bytesOf(found),
    });
  }

  /** @param version read before this call, so that a change during `find` makes the entry stale */
  async get(condition: Fragment, version: string, find: () => Promise<Found>): Promise<Found> {
    const key = JSON.stringify([condition.sql, condition.parameters]);
    const known = this.#entries.get(key);
    if (known?.version === version) return known.found;
    const found = await find();
    this.#entries.set(key, { found, version });
    return found;
  }
}
