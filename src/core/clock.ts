import { setTimeout as sleep } from 'node:timers/promises';

/** What time it is, and how to wait: a test has one that it sets by hand. */
export interface Clock {
  /** ms UTC */
  now(): number;
  /** Ends after `ms`, or at once when `signal` fires; never fails, and never keeps the process from ending. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  async wait(ms, signal) {
    await sleep(ms, undefined, { signal, ref: false }).catch(() => {});
  },
};
