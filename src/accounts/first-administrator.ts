import type { Tx } from '../database/database.ts';
import { insertUserWithEvent } from './create-account.ts';
import type { Account, NewAccount } from './model.ts';
import { hasAdministrator, lockAdministrators } from './store/accounts.ts';

export interface FirstAdministrator {
  readonly account: Account;
  /** shown once; null if the caller gave a password */
  readonly generatedPassword: string | null;
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
