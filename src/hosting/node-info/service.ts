import { type Clock, SYSTEM_CLOCK } from '../../base/core/time/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { NODE_INFO_LIMITS } from './limits.ts';
import { countSite, type SiteCounts } from './store.ts';

interface Dependencies {
  readonly database: Pick<Database, 'reader'>;
  readonly clock?: Clock;
}

interface Counting {
  readonly at: number;
  readonly counts: Promise<SiteCounts>;
}

/** Counts of the whole site. Requests share one count, because anyone may ask for it and it reads every repository. */
export class NodeInfo {
  readonly #database: Pick<Database, 'reader'>;
  readonly #clock: Clock;
  #latest: Counting | undefined;

  constructor({ database, clock = SYSTEM_CLOCK }: Dependencies) {
    this.#database = database;
    this.#clock = clock;
  }

  count(): Promise<SiteCounts> {
    const now = this.#clock.now();
    if (this.#latest !== undefined && now - this.#latest.at < NODE_INFO_LIMITS.countsRememberedMs)
      return this.#latest.counts;
    const counting = { at: now, counts: countSite(this.#database.reader, now) };
    this.#latest = counting;
    counting.counts.catch(() => {
      if (this.#latest === counting) this.#latest = undefined;
    });
    return counting.counts;
  }
}
