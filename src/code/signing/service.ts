import { createCountedCache } from '../../base/core/sized-cache.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { SignCommit } from '../../git/interface/writes.ts';
import { signatureDigest } from './digest.ts';
import { SIGNING_LIMITS } from './limits.ts';
import type { ServerKey, ServerKeys } from './model.ts';

/** Signs the commits that the server makes, and knows its own signatures. */
export class CommitSigning {
  readonly keys: ServerKeys;
  /** by `signatureDigest` */
  readonly #made = createCountedCache<string, true>({
    entriesMax: SIGNING_LIMITS.ownSignaturesRememberedMax,
  });

  constructor(keys: ServerKeys) {
    this.keys = keys;
  }

  /** undefined: the server does not sign */
  get signCommit(): SignCommit | undefined {
    const { key } = this.keys;
    if (key === null) return undefined;
    return async (payload) => {
      const text = await key.sign(payload);
      this.#made.set(signatureDigest({ text, payload }), true);
      return text;
    };
  }

  /** Returns the key of the server that signatures name so. */
  keyNamed(kind: ServerKey['kind'], name: string): ServerKey | undefined {
    const { key, formerKeys } = this.keys;
    const keys = key === null ? formerKeys : [key, ...formerKeys];
    return keys.find((each) => each.kind === kind && each.names.includes(name));
  }

  /**
   * Whether the server has made a signature lately, with a key that has not expired since. A response about a new commit
   * then needs no thread that verifies it.
   *
   * @param digest `signatureDigest` of the signature
   */
  hasMade(digest: string): boolean {
    const expiresAt = this.keys.key?.expiresAt ?? null;
    return (expiresAt === null || currentTimeMs() < expiresAt) && this.#made.has(digest);
  }
}
