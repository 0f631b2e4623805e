import { randomBytes } from 'node:crypto';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Tx } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import { ACCOUNT_CREATED } from './events.ts';
import type { Account, NewAccount } from './model.ts';
import { insertUser } from './store/accounts.ts';
import { deleteRedirect } from './store/redirects.ts';

/** Generates a password from 120 random bits. It contains only letters and digits, so shells need no quotes for it. */
export function generatePassword(): string {
  return randomBytes(15).toString('base64url').replaceAll('-', 'x').replaceAll('_', 'y');
}

/** @throws a unique violation if another account has the name or the e-mail address */
export async function insertUserWithEvent(
  tx: Tx,
  actorId: number | null,
  fields: NewAccount,
  passwordHash: string | null,
): Promise<Account> {
  const account = await insertUser(tx, {
    name: fields.name,
    email: fields.email,
    passwordHash,
    fullName: fields.fullName ?? '',
    visibility: fields.visibility ?? 'public',
    isAdmin: fields.isAdmin ?? false,
    isRestricted: fields.isRestricted ?? false,
    mustChangePassword: fields.mustChangePassword ?? false,
    isActive: fields.isActive ?? true,
    createdAt: fields.createdAt ?? currentTimeMs(),
  });
  await deleteRedirect(tx, account.name);
  await insertEvent(tx, ACCOUNT_CREATED, {
    actorId,
    repositoryId: null,
    payload: { accountId: account.id, name: account.name },
  });
  return account;
}
