import { hkdfSync } from 'node:crypto';
import { SEALING_KEY_BYTES, SealError, Sealer, sealingKeyOf } from '../../base/core/sealing.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import { EXTERNAL_LIMITS } from './limits.ts';
import type { Challenge } from './provider.ts';

/** A sign-in at a provider that has begun. Only the browser that began it has it, as a cookie. */
export interface BegunSignIn extends Challenge {
  readonly provider: string;
  readonly redirectTo: string;
  /** ms */
  readonly startedAt: number;
  /** ms of the machine; 0 unless the user confirms who they are, so that the provider must ask again after this time */
  readonly askedAt: number;
}

const PURPOSE = 'sign-in at a provider';

/** Encrypts what a browser keeps while its user is at a provider, so that strangers cannot fill a table. */
export class SignInCookies {
  readonly #sealer: Sealer;

  /** @param secret of this server */
  constructor(secret: Uint8Array) {
    const key = Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, SEALING_KEY_BYTES));
    this.#sealer = new Sealer([sealingKeyOf(key)]);
  }

  seal(begun: BegunSignIn): string {
    return this.#sealer.seal(JSON.stringify(begun), PURPOSE);
  }

  /** @returns undefined for a cookie that is forged or too old */
  open(sealed: string): BegunSignIn | undefined {
    try {
      const begun: BegunSignIn = JSON.parse(this.#sealer.open(sealed, PURPOSE));
      return currentTimeMs() < endOf(begun) ? begun : undefined;
    } catch (error) {
      if (error instanceof SealError) return undefined;
      throw error;
    }
  }
}

/** Returns when a sign-in that has begun ends, ms. */
export function endOf({ startedAt }: Pick<BegunSignIn, 'startedAt'>): number {
  return startedAt + EXTERNAL_LIMITS.signInMs;
}
