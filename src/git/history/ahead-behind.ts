import { currentCaller } from '../../base/core/fairness/caller.ts';
import { createSizedCache } from '../../base/core/sized-cache.ts';
import type { Engine } from '../engine.ts';
import type { Oid } from '../format/model.ts';
import type { AheadBehind } from '../interface/history.ts';
import type { CommitOf } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import { countIndexed, HISTORY_SLOTS } from './list-commits.ts';
import { listOfOneSide } from './two-sides.ts';

type Needs = Pick<Engine, 'changes' | 'completeFolder'>;

/** Compares several commits with one, without starting git. The results never change, so the last ones are cached. */
export class AheadBehindCounts {
  readonly #engine: Needs;
  readonly #known = createSizedCache<string, AheadBehind>({
    sizeMax: GIT_LIMITS.commitCountsCachedMax,
    sizeOf: () => 1,
  });

  constructor(engine: Needs) {
    this.#engine = engine;
  }

  /** See `History.countsAgainst`. */
  async find(base: CommitOf, heads: readonly Oid[]): Promise<ReadonlyMap<Oid, AheadBehind>> {
    const found = new Map<Oid, AheadBehind>();
    const wanted = new Set<Oid>();
    for (const head of heads) {
      const known = head === base.oid ? { ahead: 0, behind: 0 } : this.#known.get(keyOf(base, head));
      if (known === undefined) wanted.add(head);
      else found.set(head, known);
    }
    if (wanted.size === 0) return found;
    await HISTORY_SLOTS.run(async () => {
      const end = performance.now() + GIT_LIMITS.aheadBehindMs;
      for (const head of wanted) {
        if (performance.now() > end) return;
        const counts = await this.#count(base, head);
        if (counts === undefined) continue;
        found.set(head, counts);
        this.#known.set(keyOf(base, head), counts);
      }
    });
    return found;
  }

  /** @returns undefined if there is too much to walk through */
  async #count(base: CommitOf, head: Oid): Promise<AheadBehind | undefined> {
    const other = { snapshot: base.snapshot, oid: head };
    const ahead = await this.#countOnly(other, base);
    const behind = ahead === undefined ? undefined : await this.#countOnly(base, other);
    return ahead === undefined || behind === undefined ? undefined : { ahead, behind };
  }

  /** Counts the commits that the first commit reaches and the other does not. */
  async #countOnly(head: CommitOf, other: CommitOf): Promise<number | undefined> {
    const signal = currentCaller().left ?? new AbortController().signal;
    const range = { head, without: [other], path: null };
    const indexed = await countIndexed(this.#engine, range, signal);
    return indexed ?? (await listOfOneSide(head.snapshot.objects, [head.oid, other.oid]))?.length;
  }
}

function keyOf({ snapshot, oid }: CommitOf, head: Oid): string {
  return `${snapshot.id} ${oid} ${head}`;
}
