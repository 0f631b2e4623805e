import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { SignInAccount } from '../accounts/model.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Bearer } from '../tokens/model.ts';
import type { Tokens } from '../tokens/service.ts';
import { AUTHENTICATION_LIMITS } from './limits.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly tokens: Tokens;
}

/** Records when accounts sign in and tokens are used. The times are informational: no request waits for them or fails. */
export class LastUses {
  readonly #use: Dependencies;
  readonly #recording = new Map<string, Promise<void>>();

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  recordSignIn({ id, lastLoginAt }: SignInAccount): void {
    this.#record(`account ${id}`, lastLoginAt, (now) => this.#use.accounts.recordSignIn(id, now));
  }

  recordToken({ tokenId, lastUsedAt }: Bearer): void {
    this.#record(`token ${tokenId}`, lastUsedAt, (now) => this.#use.tokens.recordUse(tokenId, now));
  }

  /** Waits for background writes. */
  async waitForWrites(): Promise<void> {
    await Promise.all(this.#recording.values());
  }

  #record(key: string, earlier: number | null, write: (now: number) => Promise<void>): void {
    const now = currentTimeMs();
    const isRecent = earlier !== null && now - earlier < AUTHENTICATION_LIMITS.lastSignInLagMs;
    if (isRecent || this.#recording.has(key)) return;
    const recording = write(now)
      .catch(() => {})
      .finally(() => this.#recording.delete(key));
    this.#recording.set(key, recording);
  }
}
