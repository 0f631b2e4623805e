import { randomBytes } from 'node:crypto';
import type { Tx } from '../database/database.ts';
import { insertEvent } from '../events/store.ts';
import { ACCOUNT_CREATED } from './events.ts';
import type { Account, NewAccount } from './model.ts';
import { insertUser } from './store/accounts.ts';
import { deleteRedirect } from './store/redirects.ts';

/** 120 random bits, of characters that a shell leaves alone. */
export function generatePassword(): string {
  return randomBytes(15).toString('base64url').replaceAll('-', 'x').replaceAll('_', 'y');
}

/** @throws a unique violation where the name or the e-mail is taken */
export async function insertAnnounced(
  tx: Tx,
  actorId: number | null,
  wanted: NewAccount,
  passwordHash: string | null,
): Promise<Account> {
  const account = await insertUser(tx, {
    name: wanted.name,
    email: wanted.email,
    passwordHash,
    fullName: wanted.fullName ?? '',
    visibility: wanted.visibility ?? 'public',
    isAdmin: wanted.isAdmin ?? false,
    isRestricted: wanted.isRestricted ?? false,
    mustChangePassword: wanted.mustChangePassword ?? false,
    createdAt: wanted.createdAt ?? Date.now(),
  });
  await deleteRedirect(tx, account.name);
  await insertEvent(tx, ACCOUNT_CREATED, {
    actorId,
    repositoryId: null,
    payload: { accountId: account.id, name: account.name },
  });
  return account;
}
