import { conflict, invalid, notFound } from '../../base/core/failure.ts';
import type { Signal } from '../../base/core/signal.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import { type Database, isForeignKeyViolation, type Tx } from '../../base/database/database.ts';
import { formerValues } from '../../base/events/model.ts';
import { insertEvent } from '../../base/events/store.ts';
import { changedFields, columnsOf } from './edit.ts';
import { ACCOUNT_CHANGED, ACCOUNT_DELETED, ACCOUNT_VISIBILITY_CHANGED } from './events.ts';
import { lockVisibility } from './locks.ts';
import {
  type Account,
  type AccountEdit,
  type AccountVisibility,
  maySignIn,
  type SignInAccount,
} from './model.ts';
import { accountNameProblem } from './names.ts';
import {
  deleteAccount,
  emailColumns,
  hasOtherAdministrator,
  insertOrganizationAccount,
  raiseCredentialVersion,
  removePasswordHash,
  replacePasswordHash,
  setAccountColumns,
  setPasswordHash,
} from './store/accounts.ts';
import { movePrimaryEmail, replacePrimaryEmail, setEmailVerified } from './store/emails.ts';
import { lockAccount, lockAdministrators } from './store/locks.ts';
import { deleteRedirect, insertRedirect, setName } from './store/redirects.ts';

/** A user who is about to be deleted. */
export interface UserRemoval {
  readonly account: Account;
  readonly actorId: number | null;
  /** whether to delete what the user owns, too */
  readonly purge: boolean;
}

/** A user or an organization whose visibility changed. */
export interface AccountVisibilityChange {
  readonly accountId: number;
  readonly actorId: number | null;
}

/** A user who has a new name. */
export interface UserRename {
  readonly accountId: number;
  readonly from: string;
  readonly to: string;
}

/** A user who has a new password or was disabled: nothing goes on that began before. */
export interface CredentialsEnd {
  readonly accountId: number;
  readonly isDisabled: boolean;
  readonly hasNewPassword: boolean;
}

/** What an edit of a user notifies; `Accounts` has them. */
interface UserSignals {
  readonly ownerSet: Signal<[tx: Tx, owned: { readonly accountId: number }]>;
  readonly visibilityChanged: Signal<[tx: Tx, change: AccountVisibilityChange]>;
  readonly signInsEnded: Signal<[tx: Tx, end: CredentialsEnd]>;
}

/** @throws ForgeError `not_found`, `invalid` for the last administrator; a unique violation if the e-mail address is taken */
export async function changeUser(
  tx: Tx,
  change: { id: number; edit: AccountEdit; passwordHash?: string | undefined; actorId: number | null },
  { visibilityChanged, signInsEnded, ownerSet }: UserSignals,
): Promise<Account> {
  const { edit, passwordHash, actorId } = change;
  if (edit.visibility !== undefined) await lockVisibility(tx, 'to change it');
  await lockAdministrators(tx);
  const account = await lockAccount(tx, change.id);
  if (account === undefined) throw notFound('account');
  const changed = [...changedFields(account, edit), ...(passwordHash === undefined ? [] : ['password'])];
  if (changed.length === 0) return account;
  if (passwordHash !== undefined) await setPasswordHash(tx, account.id, passwordHash);
  if (edit.email !== undefined && changed.includes('email'))
    await replacePrimaryEmail(tx, account.id, edit.email);
  const edited = await setAccountColumns(tx, account.id, columnsOf(edit));
  // Who activates an account has found out whose it is.
  if (!account.isActive && edited.isActive && edited.email !== '')
    await setEmailVerified(tx, account.id, edited.email);
  await requireAdministratorLeft(tx, account, edited);
  const isDisabled = maySignIn(account) && !maySignIn(edited);
  if (isDisabled) await raiseCredentialVersion(tx, account.id);
  if (isDisabled || passwordHash !== undefined)
    await signInsEnded.notify(tx, {
      accountId: account.id,
      isDisabled,
      hasNewPassword: passwordHash !== undefined,
    });
  if (isDisabled || changed.includes('email') || changed.includes('password'))
    await ownerSet.notify(tx, { accountId: account.id });
  if (changed.includes('visibility')) await visibilityChanged.notify(tx, { accountId: account.id, actorId });
  await announceChange(tx, { before: account, after: edited, changed, actorId });
  return edited;
}

/**
 * Makes a user a site administrator, or takes that away, as another server says. The last administrator remains one.
 *
 * @throws ForgeError `not_found`
 */
export async function followAdministration(
  tx: Tx,
  { id, isAdmin }: { readonly id: number; readonly isAdmin: boolean },
  signals: UserSignals,
): Promise<void> {
  await lockAdministrators(tx);
  if (!isAdmin && !(await hasOtherAdministrator(tx, id))) return;
  await changeUser(tx, { id, edit: { isAdmin }, actorId: null }, signals);
}

/**
 * Replaces a password on behalf of the account. It no longer has to be changed.
 *
 * @throws ForgeError `conflict` if the account is no longer as it was read: its password has changed, or it is gone
 */
export async function replacePassword(
  tx: Tx,
  account: Pick<SignInAccount, 'id' | 'credentialVersion'>,
  passwordHash: string,
  { signInsEnded }: Pick<UserSignals, 'signInsEnded'>,
): Promise<void> {
  const { id, credentialVersion } = account;
  if (!(await replacePasswordHash(tx, id, { hash: passwordHash, replacedVersion: credentialVersion })))
    throw conflict('the password was changed at the same time');
  await signInsEnded.notify(tx, { accountId: id, isDisabled: false, hasNewPassword: true });
  const payload = { accountId: id, changed: ['password'] };
  await insertEvent(tx, ACCOUNT_CHANGED, { actorId: id, repositoryId: null, payload });
}

/**
 * Makes another verified address of a user the primary one.
 *
 * @returns the account as it was
 * @throws ForgeError `not_found` without such an address; a unique violation if another account has it
 */
export async function changePrimaryEmail(
  tx: Tx,
  { id, email, actorId }: { readonly id: number; readonly email: string; readonly actorId: number | null },
): Promise<Account> {
  const account = await lockUserAccount(tx, id);
  if (account.email.toLowerCase() === email.toLowerCase())
    throw invalid('this is the primary address already');
  const written = await movePrimaryEmail(tx, id, email);
  if (written === undefined) throw notFound('verified e-mail', { say: 'confirm the address first' });
  const edited = await setAccountColumns(tx, id, emailColumns(written));
  await announceChange(tx, { before: account, after: edited, changed: ['email', 'emails'], actorId });
  return account;
}

/**
 * Gives an account back to the owner of its former address: the address replaces the primary one, the password no longer
 * signs in, and all sign-ins end.
 *
 * @throws ForgeError `not_found`; a unique violation if another account has the address
 */
export async function restoreEmail(
  tx: Tx,
  { id, email }: { readonly id: number; readonly email: string },
  { signInsEnded }: Pick<UserSignals, 'signInsEnded'>,
): Promise<void> {
  const account = await lockUserAccount(tx, id);
  await replacePrimaryEmail(tx, id, email);
  const edited = await setAccountColumns(tx, id, emailColumns(email));
  await removePasswordHash(tx, id);
  await signInsEnded.notify(tx, { accountId: id, isDisabled: false, hasNewPassword: false });
  const changed = ['email', 'emails', 'password'];
  await announceChange(tx, { before: account, after: edited, changed, actorId: id });
}

async function announceChange(
  tx: Tx,
  change: { before: Account; after: Account; changed: readonly string[]; actorId: number | null },
): Promise<void> {
  const { before, after, changed, actorId } = change;
  const accountId = after.id;
  // A former address is private, also after the account has given it up.
  const former = formerValues(
    before,
    changed.filter((field) => field !== 'email'),
  );
  await insertEvent(tx, ACCOUNT_CHANGED, {
    actorId,
    repositoryId: null,
    payload: { accountId, changed },
    former,
    audit: { former: formerValues(before, changed), new: formerValues(after, changed) },
  });
  if (before.visibility === after.visibility) return;
  await insertEvent(tx, ACCOUNT_VISIBILITY_CHANGED, {
    actorId,
    repositoryId: null,
    payload: { accountId, from: before.visibility, to: after.visibility },
  });
}

/** @throws ForgeError `not_found`; `invalid` for the last administrator, and for a user who still owns something */
export async function removeFrom(
  database: Database,
  removal: { id: number; actorId: number | null; purge: boolean },
  leaving: Signal<[tx: Tx, removal: UserRemoval]>,
): Promise<void> {
  await database
    .transaction((tx) => removeUser(tx, removal, leaving))
    .catch((error) => {
      if (!isForeignKeyViolation(error)) throw error;
      throw invalid('the account owns repositories: delete or transfer them first', { cause: error });
    });
}

/** @throws ForgeError `not_found`, `invalid`; a foreign key violation if the user still owns repositories */
async function removeUser(
  tx: Tx,
  removal: { id: number; actorId: number | null; purge: boolean },
  leaving: Signal<[tx: Tx, removal: UserRemoval]>,
): Promise<void> {
  const { actorId, purge } = removal;
  await lockAdministrators(tx);
  const account = await lockAccount(tx, removal.id);
  if (account === undefined) throw notFound('account');
  await leaving.notify(tx, { account, actorId, purge });
  await deleteAccount(tx, account.id);
  await requireAdministratorLeft(tx, account, undefined);
  await insertEvent(tx, ACCOUNT_DELETED, {
    actorId,
    repositoryId: null,
    payload: { accountId: account.id, name: account.name },
  });
}

/**
 * Rejects a change that removes the last site administrator, because no caller could then create one over the API.
 *
 * @throws ForgeError `invalid`
 */
async function requireAdministratorLeft(tx: Tx, before: Account, after: Account | undefined): Promise<void> {
  if (!canAdminister(before) || (after !== undefined && canAdminister(after))) return;
  if (await hasOtherAdministrator(tx, before.id)) return;
  throw invalid(`${before.name} is the last site administrator: make another user an administrator first`);
}

function canAdminister(account: Account): boolean {
  return account.isAdmin && maySignIn(account);
}

/**
 * Renames a user or an organization. The old name redirects, unless only the case differs.
 *
 * @returns the account as it was, with its old name; null if nothing changed
 * @throws ForgeError `invalid` for an invalid name, `not_found`; a unique violation if the name is taken
 */
export async function renameAccount(
  tx: Tx,
  rename: { id: number; to: string },
): Promise<{ account: Account; from: string } | null> {
  const problem = accountNameProblem(rename.to);
  if (problem !== undefined) throw invalid(problem);
  const account = await lockAccount(tx, rename.id);
  if (account === undefined) throw notFound('account');
  if (account.name === rename.to) return null;
  await setName(tx, account.id, rename.to);
  await deleteRedirect(tx, rename.to);
  if (account.name.toLowerCase() !== rename.to.toLowerCase())
    await insertRedirect(tx, account.name, account.id);
  return { account, from: account.name };
}

/**
 * Creates the account of an organization.
 *
 * @throws ForgeError `invalid`; a unique violation if the name is taken
 */
export async function createOrganizationAccount(
  tx: Tx,
  fields: { name: string; visibility: AccountVisibility; edit: AccountEdit },
): Promise<Account> {
  const problem = accountNameProblem(fields.name);
  if (problem !== undefined) throw invalid(problem);
  const { name, visibility } = fields;
  const { id } = await insertOrganizationAccount(tx, { name, visibility, createdAt: currentTimeMs() });
  await deleteRedirect(tx, name);
  return setAccountColumns(tx, id, organizationColumns(fields.edit));
}

/** @throws ForgeError `not_found` */
export async function changeOrganizationAccount(
  tx: Tx,
  { id, edit, actorId }: { id: number; edit: AccountEdit; actorId: number | null },
  visibilityChanged: Signal<[tx: Tx, change: AccountVisibilityChange]>,
): Promise<{ before: Account; after: Account; changed: readonly string[] }> {
  if (edit.visibility !== undefined) await lockVisibility(tx, 'to change it');
  const before = await lockOrganizationAccount(tx, id);
  const changed = changedFields(before, edit);
  if (changed.length === 0) return { before, after: before, changed };
  const after = await setAccountColumns(tx, before.id, organizationColumns(edit));
  if (changed.includes('visibility')) await visibilityChanged.notify(tx, { accountId: id, actorId });
  return { before, after, changed };
}

/**
 * Returns the columns of a change. Organizations never sign in, so several of them may share an e-mail address.
 */
function organizationColumns(edit: AccountEdit): ReturnType<typeof columnsOf> {
  return { ...columnsOf(edit), lower_email: null };
}

/**
 * Reads and locks an organization's account until the transaction ends.
 *
 * @throws ForgeError `not_found`
 */
export async function lockOrganizationAccount(tx: Tx, id: number): Promise<Account> {
  const account = await lockAccount(tx, id);
  if (account === undefined || account.kind !== 'organization') throw notFound('organization');
  return account;
}

/** Reads and locks a user until the transaction ends. @throws ForgeError `not_found` */
export async function lockUserAccount(tx: Tx, id: number): Promise<Account> {
  const account = await lockAccount(tx, id);
  if (account === undefined || account.kind !== 'user') throw notFound('account');
  return account;
}

/**
 * Deletes an organization's account.
 *
 * @throws a foreign key violation if it still owns repositories
 */
export async function removeOrganizationAccount(tx: Tx, id: number): Promise<void> {
  await deleteAccount(tx, id);
}
