import type { Tx } from '../database/database.ts';
import { insertAnnounced } from './create-account.ts';
import type { Account, NewAccount } from './model.ts';
import { hasAdministrator, lockAdministrators } from './store/accounts.ts';

export interface FirstAdministrator {
  readonly account: Account;
  /** to be shown once; null where a password was given */
  readonly generatedPassword: string | null;
}

/** @returns undefined where there is an administrator already */
export async function insertUnlessAdministrated(
  tx: Tx,
  wanted: NewAccount,
  hash: string,
): Promise<Account | undefined> {
  await lockAdministrators(tx);
  return (await hasAdministrator(tx)) ? undefined : insertAnnounced(tx, null, wanted, hash);
}
