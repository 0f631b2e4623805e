import type { Signal } from '../../base/core/signal.ts';
import type { Tx } from '../../base/database/database.ts';
import { lockRequirements, lockUser } from '../accounts/locks.ts';
import { setHasSecondFactor } from '../accounts/writes.ts';
import { generateRecoveryCodes, recoveryDigestOf } from './recovery-codes.ts';
import { countRecoveryCodes, deleteRecoveryCodes, findState, replaceRecoveryCodes } from './store/codes.ts';

// What each change of a second factor does to the account. The account is locked.

export async function hasFactor(tx: Tx, accountId: number): Promise<boolean> {
  const { hasCodes, passkeys } = await findState(tx, accountId);
  return hasCodes || passkeys > 0;
}

/**
 * Makes the account need a second factor, after one was added.
 *
 * @returns its recovery codes, which are shown once; none if it has some already
 */
export async function recordAdded(tx: Tx, accountId: number): Promise<readonly string[]> {
  await setHasSecondFactor(tx, accountId, true);
  return (await countRecoveryCodes(tx, accountId)) > 0 ? [] : makeRecoveryCodes(tx, accountId);
}

/** An account that has lost its last second factor. */
export interface LostFactor {
  readonly accountId: number;
  /** whether an administrator has removed it; otherwise, its user did */
  readonly isReset: boolean;
}

/** The listeners of an account that has lost its last second factor; one that throws keeps the factor. */
export type LostSignal = Signal<[tx: Tx, lost: LostFactor]>;

/** Locks an account of which a second factor is about to be removed. @throws ForgeError as `lockUser` */
export async function lockForRemoval(tx: Tx, accountId: number): Promise<void> {
  await lockRequirements(tx, 'to read them');
  await lockUser(tx, accountId);
}

/** Lets the account sign in with its password alone if it has no second factor left. Recovery codes are none. */
export async function recordRemoved(tx: Tx, lost: LostFactor, signal: LostSignal): Promise<void> {
  const { accountId } = lost;
  if (await hasFactor(tx, accountId)) return;
  await deleteRecoveryCodes(tx, accountId);
  await setHasSecondFactor(tx, accountId, false);
  await signal.notify(tx, lost);
}

/** Replaces all recovery codes. @returns the new ones */
export async function makeRecoveryCodes(tx: Tx, accountId: number): Promise<readonly string[]> {
  const codes = generateRecoveryCodes();
  await replaceRecoveryCodes(tx, accountId, codes.map(recoveryDigestOf));
  return codes;
}
