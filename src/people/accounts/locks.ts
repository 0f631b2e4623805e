import { ForgeError, forbidden, invalid, notFound } from '../../base/core/failure.ts';
import type { Tx } from '../../base/database/database.ts';
import { type AccountKind, maySignIn } from './model.ts';
import { findSignInById } from './store/accounts.ts';
import { isBlockedBy } from './store/blocks.ts';
import {
  lockKind as lockKindOf,
  lockRequirements as lockRequirementsOfAll,
  lockVisibility as lockVisibilityOfAll,
} from './store/locks.ts';

/**
 * Locks an account against deletion until the transaction ends.
 *
 * @throws ForgeError `not_found` if it is missing
 */
export async function lockKind(tx: Tx, id: number): Promise<AccountKind> {
  const kind = await lockKindOf(tx, id);
  if (kind === undefined) throw notFound('account');
  return kind;
}

/**
 * Requires that an account may still sign in, and keeps it so until the transaction ends.
 *
 * @param version of the credential that it signed in with, if that must be the current one, too
 * @throws ForgeError `unauthenticated`
 */
export async function lockSignIn(tx: Tx, id: number, version?: number): Promise<void> {
  const account = (await lockKindOf(tx, id)) === undefined ? undefined : await findSignInById(tx, id);
  const isCurrent = version === undefined || account?.credentialVersion === version;
  if (account === undefined || !maySignIn(account) || !isCurrent)
    throw new ForgeError({ kind: 'unauthenticated', what: 'the account has changed: sign in again' });
}

/**
 * Locks a user until the transaction ends, and returns the version of its credentials.
 *
 * @throws ForgeError `not_found`
 */
export async function lockCredentialVersion(tx: Tx, id: number): Promise<number> {
  await lockKind(tx, id);
  const account = await findSignInById(tx, id);
  if (account === undefined) throw notFound('account');
  return account.credentialVersion;
}

/**
 * Keeps the visibility of all accounts and repositories, and the owners of repositories, as they are until the transaction
 * ends, except for changes of the transaction itself. Without it, a fork could become more visible while its parent
 * becomes less visible in another transaction. Call it before anything else that locks.
 */
export function lockVisibility(tx: Tx, why: 'to read it' | 'to change it'): Promise<void> {
  return lockVisibilityOfAll(tx, { isShared: why === 'to read it' });
}

/**
 * Keeps what organizations require of their members as it is until the transaction ends, except for changes of the
 * transaction itself. Call it before anything else that locks.
 */
export function lockRequirements(tx: Tx, why: 'to read them' | 'to change them'): Promise<void> {
  return lockRequirementsOfAll(tx, { isShared: why === 'to read them' });
}

/** Locks several accounts in the order of their ids, so that two transactions do not wait for each other. */
export async function lockInOrder(tx: Tx, ids: readonly number[]): Promise<void> {
  for (const id of ids.toSorted((one, other) => one - other)) await lockKind(tx, id);
}

/** @throws ForgeError as `lockKind`, and `invalid` for an organization */
export async function lockUser(tx: Tx, id: number): Promise<void> {
  if ((await lockKind(tx, id)) !== 'user') throw invalid('only a user can do this, not an organization');
}

/** Whether an account has blocked another one. Lock one of them first, as for `requireNotBlocked`. */
export function isBlocked(
  tx: Tx,
  pair: { readonly blockerId: number; readonly accountId: number },
): Promise<boolean> {
  return isBlockedBy(tx, pair);
}

/**
 * Rejects what would connect an account with one that has blocked it. Lock one of them first, because a block locks both:
 * then no block is set until the transaction ends.
 *
 * @param why says nothing of the block if the blocked account reads it
 * @throws ForgeError `forbidden`
 */
export async function requireNotBlocked(
  tx: Tx,
  pair: { readonly blockerId: number; readonly accountId: number },
  why: string,
): Promise<void> {
  if (await isBlockedBy(tx, pair)) throw forbidden(why);
}
