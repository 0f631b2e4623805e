import type { CredentialSource } from '../../api/access/viewer.ts';
import { ForgeError } from '../../base/core/failure.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import { maySignIn, type SignInState } from '../accounts/model.ts';
import type { Bearer } from '../tokens/model.ts';
import { wrongCredentials } from './credentials.ts';

// What every credential of an account needs.

/** @throws ForgeError `unauthenticated` for an account with a new password, or one that was disabled meanwhile */
export function requireVersion({ credentialVersion }: SignInState, { version }: CredentialSource): void {
  if (credentialVersion !== version) throw wrongCredentials();
}

/** @throws ForgeError `unauthenticated`. Only a caller who has the token learns that it existed. */
export function requireNotExpired({ expiresAt }: Bearer): void {
  if (expiresAt === null || currentTimeMs() < expiresAt) return;
  throw new ForgeError({ kind: 'unauthenticated', what: 'the token has expired: create a new one' });
}

/**
 * Requires an enabled user account.
 *
 * @throws ForgeError `unauthenticated` for an account that can never sign in, `forbidden` for a disabled one
 */
export function requireMaySignIn(account: SignInState): void {
  if (account.kind !== 'user') throw wrongCredentials();
  if (!maySignIn(account)) throw denied('the account is disabled');
}

export function denied(what: string): ForgeError {
  return new ForgeError({ kind: 'forbidden', what, reason: 'account' });
}
