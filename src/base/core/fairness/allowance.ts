import type { LRUCache } from 'lru-cache';
import { ForgeError } from '../failure.ts';
import { createCountedCache } from '../sized-cache.ts';
import { type Clock, REAL_CLOCK } from '../time/clock.ts';
import { currentCaller } from './caller.ts';

interface Left {
  readonly units: number;
  /** ms */
  readonly at: number;
}

interface Dependencies {
  readonly what: string;
  readonly unitsMax: number;
  readonly periodMs: number;
  readonly callersRememberedMax: number;
}

/** A number of units that each caller may use. Used units become available again evenly over a period. */
export class Allowance {
  readonly #use: Dependencies;
  readonly #clock: Clock;
  readonly #left: LRUCache<string, Left>;

  /** @param options.what names the units in errors: `new objects` */
  constructor(options: Dependencies, clock: Clock = REAL_CLOCK) {
    this.#use = options;
    this.#clock = clock;
    this.#left = createCountedCache({ entriesMax: options.callersRememberedMax });
  }

  /**
   * Charges units to the current caller. The server itself has no limit.
   *
   * @throws ForgeError `busy` if there are not enough; then no units are charged
   */
  spend(units: number): void {
    const { share, isServer } = currentCaller();
    if (isServer) return;
    const left = this.#leftOf(share) - units;
    if (left < 0) throw this.#exceeded(-left);
    this.#left.set(share, { units: left, at: this.#clock.now() });
  }

  /**
   * Requires that the current caller has any units left, for work whose units are known only afterwards.
   *
   * @throws ForgeError `busy`
   */
  requireSome(): void {
    const { share, isServer } = currentCaller();
    const left = this.#leftOf(share);
    if (!isServer && left <= 0) throw this.#exceeded(1 - left);
  }

  /** Charges units that the current caller has used, even if they exceed the units that are left. */
  charge(units: number): void {
    const { share, isServer } = currentCaller();
    if (!isServer) this.#left.set(share, { units: this.#leftOf(share) - units, at: this.#clock.now() });
  }

  #leftOf(share: string): number {
    const known = this.#left.get(share);
    if (known === undefined) return this.#use.unitsMax;
    const back = ((this.#clock.now() - known.at) / this.#use.periodMs) * this.#use.unitsMax;
    return Math.min(this.#use.unitsMax, known.units + Math.max(0, back));
  }

  #exceeded(missing: number): ForgeError {
    const retryAfterSeconds = Math.ceil(((missing / this.#use.unitsMax) * this.#use.periodMs) / 1000);
    return new ForgeError({
      kind: 'busy',
      what: `too many ${this.#use.what}: try again later`,
      retryAfterSeconds,
    });
  }
}
