import { createHmac, randomBytes } from 'node:crypto';
import { createCountedCache } from '../../base/core/sized-cache.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import { AUTHENTICATION_LIMITS } from './limits.ts';

const KEY_BYTES = 32;

/**
 * Caches verified passwords for a short time. Clients send the password with each request, and hashing it each time
 * would dominate the cost of a request. The cache has only keyed digests, in memory.
 */
export class VerifiedPasswords {
  readonly #key = randomBytes(KEY_BYTES);
  readonly #until = createCountedCache<string, number>({
    entriesMax: AUTHENTICATION_LIMITS.verifiedCredentialsMax,
  });
  readonly #now: () => number;

  constructor(now: () => number = currentTimeMs) {
    this.#now = now;
  }

  /**
   * Returns the digest that represents a password.
   *
   * @param account.credentialVersion a new password raises it, which invalidates the cached digests
   */
  markOf(account: { id: number; credentialVersion: number }, password: string): string {
    const text = JSON.stringify([account.id, account.credentialVersion, password]);
    return createHmac('sha256', this.#key).update(text).digest('base64');
  }

  /** Whether the password was verified recently. A client that uses it keeps it verified. */
  has(mark: string): boolean {
    const until = this.#until.get(mark);
    if (until === undefined) return false;
    if (this.#now() < until) this.remember(mark);
    else this.#until.delete(mark);
    return this.#until.has(mark);
  }

  remember(mark: string): void {
    this.#until.set(mark, this.#now() + AUTHENTICATION_LIMITS.verifiedCredentialMs);
  }
}
