import { currentCaller } from '../../base/core/fairness/caller.ts';
import { NewestFirst } from '../changes/newest-first.ts';
import type { Oid } from '../format/model.ts';
import type { ObjectReader } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';

// What is known about a commit: a sum of these.
const REACHED_BY_ONE = 1;
const REACHED_BY_OTHER = 2;
const REACHED_BY_BOTH = REACHED_BY_ONE + REACHED_BY_OTHER;
/** It is an ancestor of a common ancestor, so it is not a best one. */
const BELOW_COMMON = 4;

/** Where clocks are wrong, they mostly are so for more than one commit: git looks as far beyond the common ones. */
const STEPS_BEYOND = 5;

/** What the walk keeps of a commit, whose message can be long. */
interface Seen {
  readonly oid: Oid;
  readonly parents: readonly Oid[];
  /** when it was committed */
  readonly seconds: number;
  known: number;
  /** how often it waits to pass on what is known */
  waits: number;
}

/**
 * Finds the best common ancestors of two commits in this process. Reads the commits that only one side has, and few
 * others.
 *
 * @returns undefined if more commits have to be read. Several may include ancestors of others, if clocks are equal or wrong
 * @see git-merge-base(1), --all
 */
export async function findMergeBases(
  objects: Pick<ObjectReader, 'readCommit'>,
  [one, other]: readonly [Oid, Oid],
): Promise<readonly Oid[] | undefined> {
  const walk = new Walk(objects);
  await walk.begin(one, other);
  while (walk.isOpen) if (!(await walk.step())) return undefined;
  return walk.commitsKnownAs(REACHED_BY_BOTH).map(({ oid }) => oid);
}

/**
 * Lists the commits that one commit reaches, with itself, and the other does not, in this process: the newest first.
 *
 * @param other null: nothing
 * @returns undefined if more commits have to be read, or a commit seems to be older than its parent
 * @see git-rev-list(1)
 */
export async function listOfOneSide(
  objects: Pick<ObjectReader, 'readCommit'>,
  [one, other]: readonly [Oid, Oid | null],
): Promise<readonly Oid[] | undefined> {
  const walk = new Walk(objects);
  await walk.begin(one, other);
  for (let left = STEPS_BEYOND; left > 0; ) {
    left = walk.isOpen || walk.mayReachOwn ? STEPS_BEYOND : left - 1;
    if (!(await walk.step())) return undefined;
  }
  if (walk.hasWrongClock) return undefined;
  const own = walk.commitsKnownAs(REACHED_BY_ONE);
  return own.toSorted((a, b) => b.seconds - a.seconds).map(({ oid }) => oid);
}

/** Visits commits from the newest on, and again if more becomes known about them. */
class Walk {
  readonly #objects: Pick<ObjectReader, 'readCommit'>;
  /** ends the walk if the caller leaves; undefined for work without a caller */
  readonly #left = currentCaller().left;
  readonly #seen = new Map<Oid, Seen>();
  readonly #waiting = new NewestFirst();
  readonly #order: Seen[] = [];
  /** number of commits that wait and may lead to a best common ancestor */
  #openCount = 0;
  /** seconds of the oldest commit that the first side has found before the other */
  #oldestOwn = Number.POSITIVE_INFINITY;
  #hasWrongClock = false;
  /** of messages, which can be long */
  #charsRead = 0;

  constructor(objects: Pick<ObjectReader, 'readCommit'>) {
    this.#objects = objects;
  }

  get isOpen(): boolean {
    return this.#openCount > 0;
  }

  /** Whether a commit waits that is not older than all commits which the first side has found before the other. */
  get mayReachOwn(): boolean {
    return (this.#waiting.newest ?? Number.NEGATIVE_INFINITY) >= this.#oldestOwn;
  }

  /** Whether a commit seems to be older than its parent. */
  get hasWrongClock(): boolean {
    return this.#hasWrongClock;
  }

  commitsKnownAs(known: number): readonly Seen[] {
    return [...this.#seen.values()].filter((seen) => seen.known === known);
  }

  async begin(one: Oid, other: Oid | null): Promise<void> {
    await this.#reach(one, REACHED_BY_ONE);
    if (other !== null) await this.#reach(other, REACHED_BY_OTHER);
  }

  /** Passes on what is known about the newest commit that waits. @returns false if it would have to read too many */
  async step(): Promise<boolean> {
    const at = this.#order[this.#waiting.take() ?? -1];
    if (at === undefined) return true;
    this.#left?.throwIfAborted();
    this.#change(at, () => {
      at.waits -= 1;
    });
    const passed = at.known === REACHED_BY_BOTH ? at.known + BELOW_COMMON : at.known;
    for (const oid of at.parents) {
      if (
        this.#seen.size > GIT_LIMITS.commitsWalkedHereMax ||
        this.#charsRead > GIT_LIMITS.messageCharsWalkedHereMax
      )
        return false;
      const parent = await this.#reach(oid, passed);
      if (parent.seconds > at.seconds) this.#hasWrongClock = true;
    }
    return true;
  }

  /** Adds to what is known about a commit. */
  async #reach(oid: Oid, known: number): Promise<Seen> {
    const seen = this.#seen.get(oid) ?? (await this.#read(oid));
    if ((seen.known & known) === known) return seen;
    const { seconds } = seen;
    if (seen.known === 0 && known === REACHED_BY_ONE) this.#oldestOwn = Math.min(this.#oldestOwn, seconds);
    this.#change(seen, () => {
      seen.known |= known;
      seen.waits += 1;
    });
    this.#waiting.add(this.#order.push(seen) - 1, seconds);
    return seen;
  }

  async #read(oid: Oid): Promise<Seen> {
    const { parents, committer, message } = await this.#objects.readCommit(oid);
    this.#charsRead += message.length;
    const seen = { oid, parents, seconds: committer.seconds, known: 0, waits: 0 };
    this.#seen.set(oid, seen);
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
