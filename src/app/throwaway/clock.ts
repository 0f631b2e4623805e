import { realTimeMs, setPresent } from '../../base/core/time/clock.ts';

/** Times that git and the API can represent are before this one. */
export const LAST_MS: number = Date.parse('9999-01-01T00:00:00Z');

/** What a test may do with the time, in this order. */
export interface ClockChange {
  /** ms UTC */
  readonly setMs?: number;
  /** ms; negative moves back */
  readonly advanceMs?: number;
  readonly freeze?: boolean;
}

/** A change would move the time out of the years that git and the API can represent. */
export class ClockRangeError extends Error {
  constructor() {
    super('the time would leave the years 1970 to 9998');
  }
}

export interface ClockState {
  /** ISO 8601, UTC */
  readonly now: string;
  readonly frozen: boolean;
}

/** The time of a throwaway server, which is the time of the whole process. */
export class MovableClock {
  #aheadMs = 0;
  /** ms UTC; null while the time runs */
  #frozenAt: number | null = null;

  readonly now = (): number => this.#frozenAt ?? realTimeMs() + this.#aheadMs;

  /** Makes it the present of this process. */
  install(): void {
    setPresent(this.now);
  }

  /** Gives this process the real time back. */
  uninstall(): void {
    setPresent(realTimeMs);
  }

  /** @throws ClockRangeError */
  change({ setMs, advanceMs = 0, freeze }: ClockChange): void {
    const to = (setMs ?? this.now()) + advanceMs;
    if (to < 0 || to >= LAST_MS) throw new ClockRangeError();
    const isFrozen = freeze ?? this.#frozenAt !== null;
    this.#aheadMs =
      setMs === undefined && this.#frozenAt === null ? this.#aheadMs + advanceMs : to - realTimeMs();
    this.#frozenAt = isFrozen ? to : null;
  }

  /** Lets it show the real time, and then makes a change. */
  restart(change: ClockChange): void {
    this.#aheadMs = 0;
    this.#frozenAt = null;
    this.change(change);
  }

  get state(): ClockState {
    return { now: new Date(this.now()).toISOString(), frozen: this.#frozenAt !== null };
  }
}
