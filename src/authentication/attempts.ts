import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { ForgeError } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import { Semaphore } from '../core/semaphore.ts';

/** Whose password is tried, and from where. */
export interface Attempt {
  readonly account: string;
  /** of the client */
  readonly address: string;
}

interface Failures {
  readonly count: number;
  /** ms */
  readonly last: number;
}

/** Time as attempts see it; a test brings its own. */
export interface AttemptClock {
  now(): number;
  wait(ms: number): Promise<void>;
}

const WALL_CLOCK: AttemptClock = { now: Date.now, wait: async (ms) => sleep(ms) };

/**
 * Makes guessing slow. Wrong sign-ins are counted for each account and address, and after a few of them the answer to
 * the next wrong one takes longer and longer. A right one is answered at once whatever was tried before, or a
 * stranger could keep people out of their own account.
 */
export class SignInAttempts {
  readonly #clock: AttemptClock;
  readonly #failures = new LRUCache<string, Failures>({ max: LIMITS.failedSignInsRemembered });
  readonly #accountsTried = new Map<string, number>();
  readonly #linesOfAddresses = new Map<string, Semaphore>();
  #waiting = 0;

  constructor(clock: AttemptClock = WALL_CLOCK) {
    this.#clock = clock;
  }

  /**
   * Verifies one password and tells whether it was right; where it was not, only after a while.
   *
   * @throws ForgeError `too_many_attempts`, `busy` when too many are being tried at once, before anything is verified
   */
  async run(attempt: Attempt, verify: () => Promise<boolean>): Promise<boolean> {
    const pair = `${attempt.address} ${attempt.account}`;
    // The place of the account is kept while the answer waits: else a guesser would not wait for answers.
    const leaveAccount = enter(this.#accountsTried, pair, LIMITS.signInsAtOncePerAccountMax);
    try {
      const { failures, isRight } = await this.#verify(attempt.address, pair, verify);
      if (!isRight) await this.#slowDown(failures);
      return isRight;
    } finally {
      leaveAccount();
    }
  }

  async #verify(
    address: string,
    pair: string,
    verify: () => Promise<boolean>,
  ): Promise<{ failures: number; isRight: boolean }> {
    const leaveLine = await this.#enterLine(address);
    try {
      // Counted before it is known to be wrong: many that are tried at once count as many.
      const failures = this.#count(pair);
      const isRight = await verify();
      if (isRight) this.#failures.delete(pair);
      return { failures, isRight };
    } finally {
      leaveLine();
    }
  }

  /** Many people can share an address, so whoever comes when much is tried from it waits and is not refused. */
  async #enterLine(address: string): Promise<() => void> {
    const line = this.#linesOfAddresses.get(address) ?? newLine();
    this.#linesOfAddresses.set(address, line);
    const leave = await line.enter();
    return () => {
      leave();
      if (line.running === 0) this.#linesOfAddresses.delete(address);
    };
  }

  #count(pair: string): number {
    const now = this.#clock.now();
    const before = this.#failures.get(pair);
    const isFresh = before !== undefined && now - before.last < LIMITS.failedSignInForgetMs;
    const count = (isFresh ? before.count : 0) + 1;
    this.#failures.set(pair, { count, last: now });
    return count;
  }

  async #slowDown(failures: number): Promise<void> {
    const ms = delayAfter(failures);
    if (ms === 0) return;
    if (this.#waiting >= LIMITS.failedSignInDelaysAtOnceMax) throw tooMany();
    this.#waiting += 1;
    try {
      await this.#clock.wait(ms);
    } finally {
      this.#waiting -= 1;
    }
  }
}

/** How long the answer to the `failures`-th wrong sign-in in a row waits, ms. */
export function delayAfter(failures: number): number {
  const slowed = failures - LIMITS.failedSignInsFree;
  if (slowed <= 0) return 0;
  return Math.min(LIMITS.failedSignInDelayMsMin * 2 ** (slowed - 1), LIMITS.failedSignInDelayMsMax);
}

function newLine(): Semaphore {
  return new Semaphore({
    what: 'sign-ins from one address',
    atOnceMax: LIMITS.signInsAtOncePerAddressMax,
    queueMax: LIMITS.signInsQueuedPerAddressMax,
  });
}

function enter(running: Map<string, number>, key: string, atOnceMax: number): () => void {
  const before = running.get(key) ?? 0;
  if (before >= atOnceMax) throw tooMany();
  running.set(key, before + 1);
  return () => {
    const now = (running.get(key) ?? 1) - 1;
    if (now === 0) running.delete(key);
    else running.set(key, now);
  };
}

function tooMany(): ForgeError {
  const retryAfterSeconds = Math.ceil(LIMITS.failedSignInDelayMsMax / 1000);
  const what = 'too many failed sign-ins: try again later';
  return new ForgeError({ kind: 'too_many_attempts', what, retryAfterSeconds });
}
