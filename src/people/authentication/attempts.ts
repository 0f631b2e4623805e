import { setTimeout as sleep } from 'node:timers/promises';
import { ForgeError } from '../../base/core/failure.ts';
import { addressGroup } from '../../base/core/fairness/address-group.ts';
import { currentCaller, runFor } from '../../base/core/fairness/caller.ts';
import { createCountedCache } from '../../base/core/sized-cache.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import { type Attempt, FamiliarCallers } from './familiar-callers.ts';
import { AUTHENTICATION_LIMITS } from './limits.ts';

interface Failures {
  readonly count: number;
  /** ms */
  readonly last: number;
}

/** The clock for attempts. Tests replace it. */
export interface AttemptClock {
  now(): number;
  wait(ms: number): Promise<void>;
}

const WALL_CLOCK: AttemptClock = { now: currentTimeMs, wait: async (ms) => sleep(ms) };

/**
 * Slows down password guessing. Counts wrong sign-ins for each login and network. After a few, the response to each
 * further wrong one takes longer. The response to a right one is never delayed; otherwise a stranger could lock users
 * out of their own accounts.
 */
export class SignInAttempts {
  readonly #clock: AttemptClock;
  readonly #failures = createCountedCache<string, Failures>({
    entriesMax: AUTHENTICATION_LIMITS.failedSignInsRemembered,
  });
  readonly #loginsTried = new Map<string, number>();
  readonly #familiar: FamiliarCallers;
  #waiting = 0;

  constructor(clock: AttemptClock = WALL_CLOCK) {
    this.#clock = clock;
    this.#familiar = new FamiliarCallers(clock.now);
  }

  /**
   * Verifies one password and returns whether it is right. Delays the result if it is wrong.
   *
   * @throws ForgeError `too_many_attempts`, `busy` if too many sign-ins run at once; then nothing is verified
   */
  async run(attempt: Attempt, verify: () => Promise<boolean>): Promise<boolean> {
    const pair = `${addressGroup(attempt.address)} ${attempt.login}`;
    // Keeps the login's slot during the delay. Otherwise a guesser would not wait for responses.
    const leaveLogin = enter(this.#loginsTried, pair, AUTHENTICATION_LIMITS.signInsAtOncePerLoginMax);
    try {
      const { failures, isRight } = await this.#verify(attempt, pair, verify);
      if (!isRight) await this.#slowDown(failures);
      return isRight;
    } finally {
      leaveLogin();
    }
  }

  async #verify(
    attempt: Attempt,
    pair: string,
    verify: () => Promise<boolean>,
  ): Promise<{ failures: number; isRight: boolean }> {
    // Counts before the verification, so that concurrent attempts all count.
    const failures = this.#count(pair);
    // What the verification records comes from the same request.
    const { origin } = currentCaller();
    const caller = { ...this.#familiar.callerOf(attempt), ...(origin && { origin }) };
    const isRight = await runFor(caller, verify);
    if (isRight) {
      this.#failures.delete(pair);
      this.#familiar.remember(attempt);
    }
    return { failures, isRight };
  }

  #count(pair: string): number {
    const now = this.#clock.now();
    const before = this.#failures.get(pair);
    const isFresh = before !== undefined && now - before.last < AUTHENTICATION_LIMITS.failedSignInForgetMs;
    const count = (isFresh ? before.count : 0) + 1;
    this.#failures.set(pair, { count, last: now });
    return count;
  }

  async #slowDown(failures: number): Promise<void> {
    const ms = delayAfter(failures);
    if (ms === 0) return;
    if (this.#waiting >= AUTHENTICATION_LIMITS.failedSignInDelaysAtOnceMax) throw tooMany();
    this.#waiting += 1;
    try {
      await this.#clock.wait(ms);
    } finally {
      this.#waiting -= 1;
    }
  }
}

/** Returns the delay of the response to the `failures`-th wrong sign-in in a row, ms. */
export function delayAfter(failures: number): number {
  const slowed = failures - AUTHENTICATION_LIMITS.failedSignInsFree;
  if (slowed <= 0) return 0;
  return Math.min(
    AUTHENTICATION_LIMITS.failedSignInDelayMsMin * 2 ** (slowed - 1),
    AUTHENTICATION_LIMITS.failedSignInDelayMsMax,
  );
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
  const retryAfterSeconds = Math.ceil(AUTHENTICATION_LIMITS.failedSignInDelayMsMax / 1000);
  const what = 'too many failed sign-ins: try again later';
  return new ForgeError({ kind: 'too_many_attempts', what, retryAfterSeconds });
}
