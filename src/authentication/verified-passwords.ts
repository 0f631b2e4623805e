import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { LIMITS } from '../core/limits.ts';

const KEY_BYTES = 32;

/**
 * Remembers for a short while which passwords were right, since clients send theirs with each request and hashing it
 * each time would cost them and the server most of their time. Kept are keyed digests alone, and only in memory.
 */
export class VerifiedPasswords {
  readonly #key = randomBytes(KEY_BYTES);
  readonly #until = new LRUCache<string, number>({ max: LIMITS.verifiedCredentialsMax });
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /**
   * What stands for a password here.
   *
   * @param account.credentialVersion raised by a new password, which so makes what was remembered worthless
   */
  markOf(account: { id: number; credentialVersion: number }, password: string): string {
    const text = JSON.stringify([account.id, account.credentialVersion, password]);
    return createHmac('sha256', this.#key).update(text).digest('base64');
  }

  has(mark: string): boolean {
    const until = this.#until.get(mark);
    if (until === undefined) return false;
    if (this.#now() < until) return true;
    this.#until.delete(mark);
    return false;
  }

  remember(mark: string): void {
    this.#until.set(mark, this.#now() + LIMITS.verifiedCredentialMs);
  }
}
