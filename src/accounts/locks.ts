import { invalid, notFound } from '../core/failure.ts';
import type { Tx } from '../database/database.ts';
import type { AccountKind } from './model.ts';
import { lockAccount } from './store/locks.ts';

/**
 * Locks an account against deletion until the transaction ends.
 *
 * @throws ForgeError `not_found` if it is missing
 */
export async function lockKind(tx: Tx, id: number): Promise<AccountKind> {
  const kind = await lockAccount(tx, id);
  if (kind === undefined) throw notFound('account');
  return kind;
}

/** @throws ForgeError as `lockKind`, and `invalid` for an organization */
export async function lockUser(tx: Tx, id: number): Promise<void> {
  if ((await lockKind(tx, id)) !== 'user') throw invalid('only a user can do this, not an organization');
}
