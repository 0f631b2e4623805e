import type { LRUCache } from 'lru-cache';
import type { CommitTimes } from '../format/commit-times.ts';
import type { Oid } from '../format/model.ts';
import type { RepositoryId } from '../interface/snapshot.ts';
import { countSince, type IndexedRange } from './list-history.ts';
import type { SegmentFile } from './segments/segment-file.ts';
import { numberIn } from './segments/segments.ts';

/** The tip whose commits were counted last. */
export interface CountedTip {
  readonly head: Oid;
  readonly total: number;
}

/**
 * The last count of a whole history, or of one path in it. It is remembered so that only new commits are counted after
 * a push.
 */
export class RememberedCount {
  readonly #counts: LRUCache<string, CountedTip>;
  readonly #head: Oid;
  /** undefined for ranges that leave commits out or have a time, because no later range continues them */
  readonly #key: string | undefined;

  constructor(
    counts: LRUCache<string, CountedTip>,
    repository: { readonly id: RepositoryId },
    range: {
      readonly head: Oid;
      readonly without: readonly Oid[];
      readonly path: string | null;
      readonly times?: CommitTimes | undefined;
    },
  ) {
    this.#counts = counts;
    this.#head = range.head;
    const isWhole = range.without.length === 0 && range.times === undefined;
    this.#key = isWhole ? JSON.stringify([repository.id, range.path]) : undefined;
  }

  /**
   * Counts a range from the remembered count. Returns undefined if the range does not continue the remembered one.
   *
   * @throws NotIndexedError
   */
  moveTo(files: readonly SegmentFile[], range: IndexedRange): number | undefined {
    const known = this.#key === undefined ? undefined : this.#counts.get(this.#key);
    if (known === undefined) return undefined;
    const head = numberIn(files, Buffer.from(known.head, 'hex'));
    return head === undefined ? undefined : countSince(files, range, { head, total: known.total });
  }

  set(total: number): void {
    if (this.#key !== undefined) this.#counts.set(this.#key, { head: this.#head, total });
  }
}
