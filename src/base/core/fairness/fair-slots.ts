import { ForgeError } from '../failure.ts';
import { type Caller, currentCaller } from './caller.ts';
import { Turns } from './turns.ts';
import type { UsedTime } from './used-time.ts';

export interface FairSlotsOptions {
  /** names the work in errors: `fetches` */
  readonly what: string;
  /** units that all callers hold together */
  readonly unitsMax: number;
  /** units that one caller holds; more of its work waits, even if other units are free */
  readonly unitsPerCallerMax: number;
  /** reserve for callers that signed in and hold no units yet; neither strangers nor busy accounts use it */
  readonly unitsForSignedIn: number;
  /** waiting work of all callers */
  readonly queueMax: number;
  /** waiting work of one caller */
  readonly queuePerCallerMax: number;
  /** waiting work of one lane of callers; absent: as much as the queue has room for */
  readonly queuePerLaneMax?: number;
  /** how long work waits before it is rejected */
  readonly waitMs: number;
  /**
   * Charges the time of the work to its caller. Within a lane, callers then do not take turns: the caller with the
   * smallest sum of used time and next work is first. A full queue rejects work of the caller that has most work
   * waiting.
   */
  readonly usedTime?: UsedTime;
}

/**
 * The caller of a piece of work as it was at the start. If the caller signs in later, the units are still those of its
 * network.
 */
interface Claim {
  readonly share: string;
  /** lane, share and part */
  readonly path: readonly [lane: string, share: string, part: string];
  readonly isAnonymous: boolean;
  readonly isServer: boolean;
  readonly units: number;
  readonly expectedMs: number;
}

interface Waiter {
  readonly claim: Claim;
  isServed: boolean;
  /** @param give frees the units */
  readonly enter: (release: () => void) => void;
  readonly giveUp: (reason: unknown) => void;
}

/** A slot for work that can also be done later. */
export interface BorrowedSlot {
  /** Keeps the slot, even if other work waits. Returns false if other work already waits for the slot. */
  readonly keep: () => boolean;
  /** frees the slot; calling it again does nothing */
  readonly leave: () => void;
}

interface Loan {
  readonly share: string;
  readonly onWanted: () => void;
}

interface EnterOptions {
  /** how much of the resource the work takes; 1 by default. At most the units that one caller may hold */
  readonly units?: number;
  /** the longest time that the work takes, if its size determines it; 0 by default. Only with `usedTime` */
  readonly expectedMs?: number;
  /** ends the wait; so does the caller when it leaves */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A bounded resource that callers share fairly: slots for concurrent work, or bytes in memory. Each caller may hold a
 * bounded part of it. Waiting callers take turns. There is a reserve for callers that signed in and hold nothing yet.
 */
export class FairSlots {
  readonly #options: FairSlotsOptions;
  /** units held by each caller that holds any */
  readonly #held = new Map<string, number>();
  readonly #queue = new Turns<Waiter>();
  /** borrowed slots for which no other work waits yet */
  readonly #loans = new Set<Loan>();
  #running = 0;
  #runningOutsideReserve = 0;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
  }

  /** units in use */
  get running(): number {
    return this.#running;
  }

  /** pieces of work that wait */
  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Waits for a slot and assigns it to the current caller.
   *
   * @returns a function that frees the slot; calling it again does nothing
   * @throws ForgeError `busy` when the queue is full or the wait too long; the reason of a signal that fires first
   */
  async enter(options: EnterOptions = {}): Promise<() => void> {
    const caller = currentCaller();
    const units = Math.min(options.units ?? 1, this.#options.unitsPerCallerMax);
    const claim = claimOf(caller, units, options.expectedMs);
    const signals = [options.signal, caller.left].filter((signal) => signal !== undefined);
    for (const signal of signals) signal.throwIfAborted();
    return this.#releaser(this.#isFree(claim) ? this.#take(claim) : await this.#wait(claim, signals));
  }

  /**
   * Assigns a slot to the current caller if one is free and no other work waits.
   *
   * @param onWanted called when other work waits for the slot; the work then has to leave it soon
   */
  borrow(onWanted: () => void): BorrowedSlot | undefined {
    const claim = claimOf(currentCaller(), 1);
    if (!this.#isFree(claim)) return undefined;
    const loan = { share: claim.share, onWanted };
    this.#loans.add(loan);
    const keep = () => this.#loans.delete(loan);
    const free = this.#releaser(this.#take(claim));
    const leave = () => {
      keep();
      free();
    };
    return { keep, leave };
  }

  async run<T>(work: () => Promise<T>, options?: EnterOptions): Promise<T> {
    const leave = await this.enter(options);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  #isFree(claim: Claim): boolean {
    return this.waiting === 0 && this.#isWithinShare(claim) && this.#hasRoom(claim);
  }

  #isWithinShare({ share, isServer, units }: Claim): boolean {
    return isServer || (this.#held.get(share) ?? 0) + units <= this.#options.unitsPerCallerMax;
  }

  #hasRoom(claim: Claim): boolean {
    if (this.#running + claim.units > this.#options.unitsMax) return false;
    return this.#hasRoomOutsideReserve(claim) || this.#mayUseReserve(claim);
  }

  #hasRoomOutsideReserve({ units }: Claim): boolean {
    const { unitsMax, unitsForSignedIn } = this.#options;
    return this.#runningOutsideReserve + units <= unitsMax - unitsForSignedIn;
  }

  #mayUseReserve({ share, isAnonymous, isServer }: Claim): boolean {
    return isServer || (!isAnonymous && !this.#held.has(share));
  }

  /** Assigns the units to the caller. Returns a function that frees them. */
  #take(claim: Claim): () => void {
    const { share, units } = claim;
    const unitsOutsideReserve = this.#hasRoomOutsideReserve(claim) ? units : 0;
    this.#running += units;
    this.#runningOutsideReserve += unitsOutsideReserve;
    this.#held.set(share, (this.#held.get(share) ?? 0) + units);
    const startedAt = performance.now();
    return () => {
      this.#options.usedTime?.charge(share, performance.now() - startedAt);
      this.#running -= units;
      this.#runningOutsideReserve -= unitsOutsideReserve;
      const rest = (this.#held.get(share) ?? 0) - units;
      if (rest > 0) this.#held.set(share, rest);
      else this.#held.delete(share);
    };
  }

  #releaser(release: () => void): () => void {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      release();
      this.#admit();
    };
  }

  async #wait(claim: Claim, signals: readonly AbortSignal[]): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const giveUp = (reason: unknown) => {
      if (this.#forget(waiter)) reject(reason);
    };
    const waiter: Waiter = { claim, isServed: false, enter: resolve, giveUp };
    this.#enqueue(waiter);
    const timer = setTimeout(() => giveUp(this.#busy()), this.#options.waitMs).unref();
    const onAbort = () => giveUp(signals.find((signal) => signal.aborted)?.reason);
    for (const signal of signals) signal.addEventListener('abort', onAbort, { once: true });
    this.#admit();
    if (!waiter.isServed) this.#askBack(claim);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', onAbort);
    }
  }

  #enqueue(waiter: Waiter): void {
    const { claim } = waiter;
    const { path, isAnonymous } = claim;
    const [lane, share] = path;
    const { queueMax, queuePerCallerMax, queuePerLaneMax = queueMax } = this.#options;
    // Anonymous callers fill at most half of the queue.
    const isFull = this.waiting >= (isAnonymous ? Math.ceil(queueMax / 2) : queueMax);
    const isLaneFull = this.#queue.sizeOf([lane]) >= queuePerLaneMax;
    const isShareFull = this.#queue.sizeOf([lane, share]) >= queuePerCallerMax;
    if (isShareFull || ((isFull || isLaneFull) && !this.#makeRoom(claim))) throw this.#busy();
    this.#queue.add(path, waiter);
  }

  /** Rejects the last work of the caller that has most work in the lane, if the new caller has less. */
  #makeRoom({ path: [lane, share] }: Claim): boolean {
    if (this.#options.usedTime === undefined) return false;
    const sizeOf = (name: string) => this.#queue.sizeOf([lane, name]);
    const shares = [...this.#queue.heads()].flatMap(({ claim: { path } }) =>
      path[0] === lane ? [path[1]] : [],
    );
    const longest = shares.reduce((one, other) => (sizeOf(other) > sizeOf(one) ? other : one), share);
    if (sizeOf(longest) <= sizeOf(share) + 1) return false;
    this.#queue.lastOf([lane, longest])?.giveUp(this.#busy());
    return true;
  }

  /** Returns false if the waiter has a slot already. */
  #forget(waiter: Waiter): boolean {
    if (!this.#queue.remove(waiter.claim.path, waiter, { endsTurn: false })) return false;
    // Work that waited behind it may need fewer units.
    this.#admit();
    return true;
  }

  /** Assigns free units to waiting callers in turns. */
  #admit(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#queue.remove(next.claim.path, next, { endsTurn: true });
      next.isServed = true;
      next.enter(this.#take(next.claim));
    }
  }

  /** Asks for one borrowed slot, if that makes room for the waiting work. */
  #askBack(claim: Claim): void {
    const isWithinShare = this.#isWithinShare(claim);
    const loan = [...this.#loans].find(({ share }) => isWithinShare || share === claim.share);
    if (loan === undefined) return;
    this.#loans.delete(loan);
    loan.onWanted();
  }

  #next(): Waiter | undefined {
    let isOpenToAll = true;
    for (const waiter of this.#heads()) {
      if (!this.#isWithinShare(waiter.claim)) continue;
      const mayUseReserve = this.#mayUseReserve(waiter.claim);
      if (!mayUseReserve && !isOpenToAll) continue;
      if (this.#hasRoom(waiter.claim)) return waiter;
      // Free units are reserved for the caller whose turn it is. Otherwise small pieces of work would always overtake a
      // large one.
      if (mayUseReserve) return undefined;
      isOpenToAll = false;
    }
    return undefined;
  }

  /** Returns the first work of each caller, in the order of turns. */
  #heads(): Iterable<Waiter> {
    const { usedTime } = this.#options;
    if (usedTime === undefined) return this.#queue.heads();
    const ranked = Array.from(this.#queue.heads(), (waiter) => {
      const { path, share, expectedMs } = waiter.claim;
      return { waiter, lane: path[0], rank: usedTime.of(share) + expectedMs };
    });
    const lanes = [...Map.groupBy(ranked, ({ lane }) => lane).values()];
    const sorted = lanes.flatMap((lane) => lane.sort((one, other) => one.rank - other.rank));
    return sorted.map(({ waiter }) => waiter);
  }

  #busy(): ForgeError {
    const what = `too many ${this.#options.what} at once: try again in a few seconds`;
    return new ForgeError({ kind: 'busy', what, retryAfterSeconds: 5 });
  }
}

function claimOf(caller: Caller, units: number, expectedMs = 0): Claim {
  const { share, isAnonymous, isServer, lane = '', part = '' } = caller;
  return { share, path: [lane, share, part], isAnonymous, isServer, units, expectedMs };
}
