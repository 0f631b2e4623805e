import { NewestFirst } from '../changes/newest-first.ts';
import type { Commit, Oid } from '../format/model.ts';
import type { ObjectReader } from '../interface/snapshot.ts';

// What is known about a commit: a sum of these.
const REACHED_BY_ONE = 1;
const REACHED_BY_OTHER = 2;
const REACHED_BY_BOTH = REACHED_BY_ONE + REACHED_BY_OTHER;
/** It is an ancestor of a common ancestor, so it is not a best one. */
const BELOW_COMMON = 4;

interface Seen {
  readonly commit: Commit;
  known: number;
  /** how often it waits to pass on what is known */
  waits: number;
}

/**
 * Finds the best common ancestors of two commits in this process. Reads the commits that only one side has, and few
 * others.
 *
 * @param commitsMax number of commits to read
 * @returns undefined if more commits have to be read
 * @see git-merge-base(1), --all
 */
export async function findMergeBases(
  objects: Pick<ObjectReader, 'readCommit'>,
  [one, other]: readonly [Oid, Oid],
  commitsMax: number,
): Promise<readonly Oid[] | undefined> {
  const walk = new Walk(objects);
  await walk.reach(one, REACHED_BY_ONE);
  await walk.reach(other, REACHED_BY_OTHER);
  const common = new Set<Seen>();
  while (walk.isOpen) {
    const at = walk.next();
    if (at === undefined) break;
    if (at.known === REACHED_BY_BOTH) common.add(at);
    const passed = at.known === REACHED_BY_BOTH ? at.known + BELOW_COMMON : at.known;
    for (const parent of at.commit.parents) {
      if (walk.size > commitsMax) return undefined;
      await walk.reach(parent, passed);
    }
  }
  return [...common].filter(({ known }) => known < BELOW_COMMON).map(({ commit }) => commit.oid);
}

/** Visits commits from the newest on, and again if more becomes known about them. */
class Walk {
  readonly #objects: Pick<ObjectReader, 'readCommit'>;
  readonly #seen = new Map<Oid, Seen>();
  readonly #waiting = new NewestFirst();
  readonly #order: Seen[] = [];
  /** number of commits that wait and may lead to a best common ancestor */
  #openCount = 0;

  constructor(objects: Pick<ObjectReader, 'readCommit'>) {
    this.#objects = objects;
  }

  get size(): number {
    return this.#seen.size;
  }

  get isOpen(): boolean {
    return this.#openCount > 0;
  }

  /** Adds to what is known about a commit. */
  async reach(oid: Oid, known: number): Promise<void> {
    const seen = this.#seen.get(oid) ?? { commit: await this.#objects.readCommit(oid), known: 0, waits: 0 };
    this.#seen.set(oid, seen);
    if ((seen.known & known) === known) return;
    this.#change(seen, () => {
      seen.known |= known;
      seen.waits += 1;
    });
    this.#waiting.add(this.#order.push(seen) - 1, seen.commit.committer.seconds);
  }

  next(): Seen | undefined {
    const seen = this.#order[this.#waiting.take() ?? -1];
    if (seen === undefined) return undefined;
    this.#change(seen, () => {
      seen.waits -= 1;
    });
    return seen;
  }

  #change(seen: Seen, change: () => void): void {
    if (isOpen(seen)) this.#openCount -= 1;
    change();
    if (isOpen(seen)) this.#openCount += 1;
  }
}

function isOpen({ known, waits }: Seen): boolean {
  return waits > 0 && known < BELOW_COMMON;
}
