import type { Oid } from '../format/model.ts';
import type { KnownHistory, NewObjects } from './known-links.ts';

/** New objects that name only each other and what the refs reached after a prune. So few that walks stay in memory. */
export class WholeObjects {
  readonly pruneGen: number;
  readonly #objects: NewObjects;
  readonly #history: KnownHistory;

  constructor(objects: NewObjects, history: KnownHistory, pruneGen: number) {
    this.#objects = objects;
    this.#history = history;
    this.pruneGen = pruneGen;
  }

  /** Whether an object is one of these, or what the refs pointed to or reached. Does not find everything. */
  async include(oid: Oid): Promise<boolean> {
    return this.has(oid) || this.#history.refs.hasTarget(oid) || this.#history.latest.has(oid);
  }

  has(oid: Oid): boolean {
    return this.#objects.has(oid);
  }

  /**
   * Returns the first commit on the line of first parents of a new commit that is not new, so the refs reach it; null if
   * there is none.
   */
  baseOf(tip: Oid): Oid | null {
    let at: Oid | undefined = tip;
    while (at !== undefined && this.has(at)) at = this.#firstParentOf(at);
    return at ?? null;
  }

  /** Yields the contents of the new blobs that `tips` reach. */
  *blobsOf(tips: readonly Oid[]): Generator<Uint8Array, void> {
    for (const oid of this.#reachedFrom(tips)) {
      const object = this.#objects.get(oid);
      if (object?.type === 'blob') yield object.content;
    }
  }

  #firstParentOf(commit: Oid): Oid | undefined {
    return this.#objects.get(commit)?.links.find(({ type }) => type === 'commit')?.oid;
  }

  /** Returns new objects, and what they name outside. */
  #reachedFrom(tips: readonly Oid[]): ReadonlySet<Oid> {
    const reached = new Set(tips);
    // A set also yields what is added meanwhile.
    for (const oid of reached) for (const link of this.#objects.get(oid)?.links ?? []) reached.add(link.oid);
    return reached;
  }
}
