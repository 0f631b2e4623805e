import type { History } from './history.ts';
import { NONE } from './segments/format.ts';

/** All commits that some tips reach. On each chain of first parents, these are the commits up to a last one. */
export class ReachableCommits {
  /** start of a chain → last commit that is reached on it */
  readonly #last = new Map<number, number>();

  private constructor() {}

  /** Takes a step for each chain and merge, so the length of chains does not matter. @throws as `History.step` */
  static async of(history: History, tips: readonly number[]): Promise<ReachableCommits> {
    const reachable = new ReachableCommits();
    const waiting = [...tips];
    for (let tip = waiting.pop(); tip !== undefined; tip = waiting.pop()) {
      await history.step();
      const segment = history.segmentOf(tip);
      const { start, attach } = segment.chainOf(tip);
      const known = reachable.#last.get(start);
      if (known !== undefined && known >= tip) continue;
      reachable.#last.set(start, tip);
      if (known === undefined && attach !== NONE) waiting.push(attach);
      for (const { parent } of segment.laterParents((known ?? start - 1) + 1, tip)) {
        await history.step();
        waiting.push(parent);
      }
    }
    return reachable;
  }

  /** @param start of the chain of the commit */
  has(start: number, number: number): boolean {
    return number <= (this.#last.get(start) ?? -1);
  }

  /** Returns the last commit that is reached on a chain. */
  lastOn(start: number): number | undefined {
    return this.#last.get(start);
  }

  /** Returns the number of commits that `other` does not have. */
  countWithout(other: ReachableCommits | null): number {
    let count = 0;
    for (const [start, last] of this.#last) count += Math.max(0, last - (other?.lastOn(start) ?? start - 1));
    return count;
  }

  /** Yields the commits that `other` does not have, in no order. */
  *numbersWithout(other: ReachableCommits | null): Generator<number> {
    for (const [start, last] of this.#last)
      for (let number = (other?.lastOn(start) ?? start - 1) + 1; number <= last; number += 1) yield number;
  }
}
