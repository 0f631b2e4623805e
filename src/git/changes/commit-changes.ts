import { NONE } from './segments/format.ts';

/** One comparison of a commit: with its first parent, with all parents together, or with a later parent. */
export type Comparison = 'first' | 'all' | number;

/** Returns the comparisons that a commit with this many parents needs, in their order. */
export function comparisonsOf(parents: number): readonly Comparison[] {
  if (parents <= 1) return ['first'];
  // An entry that is not changed, and differs from all earlier parents, is equal in the last parent.
  return ['first', 'all', ...Array.from({ length: parents - 2 }, (_, index) => index + 1)];
}

/**
 * Collects the changes of one commit against its parents: path → parent at which the history of the entry continues, or
 * NONE if the commit itself changed the entry. An entry that is equal in the first parent has no change.
 */
export class CommitChanges {
  readonly #decided = new Map<string, number>();
  /** path → the last parent that was compared and has a different entry */
  readonly #open = new Map<string, number>();
  readonly #parents: number;
  #work = 0;

  constructor(parents: number) {
    this.#parents = parents;
  }

  /** number of differences that have been read */
  get work(): number {
    return this.#work;
  }

  /** Also counts an entry that the commit deleted. */
  add(comparison: Comparison, path: string): void {
    this.#work += 1;
    if (comparison === 'first') {
      if (this.#parents <= 1) this.#decided.set(path, NONE);
      else this.#open.set(path, 0);
    } else if (comparison === 'all') {
      this.#open.delete(path);
      this.#decided.set(path, NONE);
    } else if (this.#open.has(path)) this.#open.set(path, comparison);
  }

  /** Ends a comparison with a later parent. */
  end(comparison: Comparison): void {
    if (typeof comparison !== 'number') return;
    for (const [path, differentIn] of this.#open) {
      if (differentIn === comparison) continue;
      this.#decided.set(path, comparison);
      this.#open.delete(path);
    }
  }

  /** Returns all changes: path → index of a parent, or NONE. */
  result(): ReadonlyMap<string, number> {
    for (const path of this.#open.keys()) this.#decided.set(path, this.#parents - 1);
    this.#open.clear();
    return this.#decided;
  }
}
