import type { Tx } from '../../base/database/database.ts';
import { insertUserWithEvent } from './create-account.ts';
import type { Account, NewAccount } from './model.ts';
import { hasAdministrator } from './store/accounts.ts';
import { lockAdministrators } from './store/locks.ts';

export interface FirstAdministrator {
  readonly name: string;
  readonly email: string;
  /** absent: generated */
  readonly password?: string;
  /**
   * Shows a generated password to the operator, and returns once it is out. Runs before the account exists, so a process
   * that ends at any time never leaves an account with a password that was not shown. If this fails, there is no account.
   */
  readonly showPassword: (password: string) => Promise<void>;
}

/** @returns undefined if an administrator exists */
export async function insertFirstAdministrator(
  tx: Tx,
  fields: NewAccount,
  hash: string,
): Promise<Account | undefined> {
  await lockAdministrators(tx);
  return (await hasAdministrator(tx)) ? undefined : insertUserWithEvent(tx, null, fields, hash);
}
