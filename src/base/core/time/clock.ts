import { setTimeout as sleep } from 'node:timers/promises';

/** A source of time, which tests replace with one that they set by hand. */
export interface Clock {
  /** ms UTC */
  now(): number;
  /** Resolves after `ms`, or at once when `signal` fires. Never rejects and never keeps the process alive. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** Returns the time of this machine in ms UTC, for the ages of files and for deadlines, which no test moves. */
export function realTimeMs(): number {
  return Date.now();
}

let present: () => number = realTimeMs;

/**
 * Returns the present in ms UTC. Everything that the server records, or compares with what it has recorded, uses this
 * time, so that a throwaway server can move it.
 */
export function currentTimeMs(): number {
  return present();
}

/** Replaces the present of this process, for throwaway servers. */
export function setPresent(source: () => number): void {
  present = source;
}

/** Its waits last as long as they say, even if the present moves. */
export const SYSTEM_CLOCK: Clock = {
  now: currentTimeMs,
  async wait(ms, signal) {
    await sleep(ms, undefined, { signal, ref: false }).catch(() => {});
  },
};

/** The clock of limits to use, which nothing moves: a present that stands still would never give back what is used. */
export const REAL_CLOCK: Clock = { ...SYSTEM_CLOCK, now: realTimeMs };
