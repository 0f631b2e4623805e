import type { Clock } from '../../src/base/core/time/clock.ts';

interface Waiter {
  readonly until: number;
  readonly resolve: () => void;
}

/** A clock that moves only when a test advances it. */
export class ManualClock implements Clock {
  #now: number;
  #waiting: Waiter[] = [];

  constructor(now = Date.UTC(2030, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  /** waits that no advance has ended yet */
  get waiting(): number {
    return this.#waiting.length;
  }

  wait(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const waiter: Waiter = { until: this.#now + ms, resolve };
      this.#waiting.push(waiter);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  advance(ms: number): void {
    this.#now += ms;
    const due = this.#waiting.filter((waiter) => waiter.until <= this.#now);
    this.#waiting = this.#waiting.filter((waiter) => waiter.until > this.#now);
    for (const waiter of due) waiter.resolve();
  }
}
