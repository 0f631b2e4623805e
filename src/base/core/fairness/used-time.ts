import type { LRUCache } from 'lru-cache';
import { CORE_LIMITS } from '../limits.ts';
import { createCountedCache } from '../sized-cache.ts';
import { type Clock, REAL_CLOCK } from '../time/clock.ts';

interface Used {
  readonly ms: number;
  /** ms UTC */
  readonly at: number;
}

/** How long each caller has used something lately. The time is halved after each `halfLifeMs`. */
export class UsedTime {
  readonly #halfLifeMs: number;
  readonly #clock: Clock;
  readonly #used: LRUCache<string, Used>;

  constructor(options: { halfLifeMs: number; callersRememberedMax: number }, clock: Clock = REAL_CLOCK) {
    this.#halfLifeMs = options.halfLifeMs;
    this.#clock = clock;
    this.#used = createCountedCache({ entriesMax: options.callersRememberedMax });
  }

  /** @returns ms */
  of(share: string): number {
    const known = this.#used.get(share);
    if (known === undefined) return 0;
    return known.ms * 0.5 ** (Math.max(0, this.#clock.now() - known.at) / this.#halfLifeMs);
  }

  charge(share: string, ms: number): void {
    this.#used.set(share, { ms: this.of(share) + ms, at: this.#clock.now() });
  }
}

/** Creates the record of the time for which callers use threads that do the same work. */
export function usedTimeOfThreads(clock?: Clock): UsedTime {
  return new UsedTime(
    {
      halfLifeMs: CORE_LIMITS.usedThreadTimeHalfLifeMs,
      callersRememberedMax: CORE_LIMITS.threadCallersRememberedMax,
    },
    clock,
  );
}
