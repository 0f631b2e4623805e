import { addressGroup } from '../../base/core/fairness/address-group.ts';
import type { Caller } from '../../base/core/fairness/caller.ts';
import { createCountedCache } from '../../base/core/sized-cache.ts';
import { AUTHENTICATION_LIMITS } from './limits.ts';

/** One attempt to sign in with a password. */
export interface Attempt {
  /** what was typed, whether an account has it or not; or whose codes are tried */
  readonly login: string;
  /** last recorded sign-in of the account, ms; null if there is none */
  readonly lastLoginAt: number | null;
  /** address of the client */
  readonly address: string;
}

/**
 * Remembers which logins were right from which networks. A stranger can send any number of guesses from any number
 * of networks, so attempts wait for their password hash in four lanes that take turns, and only a correct password moves
 * a caller out of the last one.
 */
export class FamiliarCallers {
  readonly #now: () => number;
  readonly #pairs = rememberedTimes();
  readonly #networks = rememberedTimes();
  readonly #logins = rememberedTimes();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Remembers a correct password. */
  remember({ login, address }: Attempt): void {
    const network = addressGroup(address);
    const now = this.#now();
    this.#pairs.set(`${network} ${login}`, now);
    this.#networks.set(network, now);
    this.#logins.set(login, now);
  }

  /** Returns the caller that the attempt waits as. It never leaves, because other requests may share its result. */
  callerOf({ login, lastLoginAt, address }: Attempt): Caller {
    const network = addressGroup(address);
    const byLogin = { share: login, part: network };
    const byNetwork = { share: `network ${network}`, part: login };
    if (this.#isRecent(this.#pairs.get(`${network} ${login}`))) return lane('returning', byLogin);
    if (this.#isRecent(this.#networks.get(network))) return lane('familiar network', byNetwork);
    if (this.#isRecent(this.#logins.get(login) ?? lastLoginAt ?? undefined))
      return lane('familiar account', byLogin);
    return { ...lane('stranger', byNetwork), isAnonymous: true };
  }

  #isRecent(time: number | undefined): boolean {
    return time !== undefined && this.#now() - time < AUTHENTICATION_LIMITS.signInRememberedMs;
  }
}

function lane(name: string, share: { share: string; part: string }): Caller {
  return { ...share, lane: name, isAnonymous: false, isServer: false };
}

function rememberedTimes() {
  return createCountedCache<string, number>({ entriesMax: AUTHENTICATION_LIMITS.signInsRememberedMax });
}
