import { LIMITS } from '../../core/limits.ts';
import { createSizedCache } from '../../core/sized-cache.ts';
import type { Db } from '../../database/database.ts';
import type { Fragment } from '../../database/fragment.ts';
import type { RepositoryId } from '../../git/model.ts';
import { versionOf } from '../store/selections.ts';

const ID_BYTES = 8;

/** The repositories that match a condition. */
export interface Counted {
  readonly total: number;
  /** their ids, if they are few and were read one by one */
  readonly ids?: readonly RepositoryId[];
}

/**
 * Remembers counts until a repository changes in a way that a search depends on.
 *
 * Counting many matches is the slowest part of a search, and all viewers share the counts of open repositories.
 */
export class CountCache {
  readonly #entries = createSizedCache<string, Counted & { readonly version: string }>({
    sizeMax: LIMITS.searchCountsRememberedBytesMax,
    sizeOf: ({ ids }, key) => key.length + ID_BYTES * (ids?.length ?? 0),
  });

  /** Returns what was remembered; undefined if that is nothing, or if something has changed since. */
  async find(db: Db, condition: Fragment): Promise<Counted | undefined> {
    const entry = this.#entries.get(keyOf(condition));
    return entry !== undefined && entry.version === (await versionOf(db)) ? entry : undefined;
  }

  /**
   * Counts the matches of a condition and remembers them.
   *
   * @param isWorthKeeping rejects an unfinished count; absent: every count is kept
   */
  async count(
    db: Db,
    condition: Fragment,
    count: () => Promise<Counted>,
    isWorthKeeping: (counted: Counted) => boolean = () => true,
  ): Promise<Counted> {
    // Read before the count, so that a change during the count makes the entry stale.
    const version = await versionOf(db);
    const counted = await count();
    if (isWorthKeeping(counted)) this.#entries.set(keyOf(condition), { ...counted, version });
    return counted;
  }
}

function keyOf({ sql, parameters }: Fragment): string {
  return JSON.stringify([sql, parameters]);
}
