import { setTimeout as sleep } from 'node:timers/promises';

/** A source of time, which tests replace with one that they set by hand. */
export interface Clock {
  /** ms UTC */
  now(): number;
  /** Resolves after `ms`, or at once when `signal` fires. Never rejects and never keeps the process alive. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  async wait(ms, signal) {
    await sleep(ms, undefined, { signal, ref: false }).catch(() => {});
  },
};
