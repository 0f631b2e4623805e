import { type Selectable, sql, type Updateable } from 'kysely';
import { accountVisible } from '../../../api/access/store/account.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, fragment, values } from '../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../base/database/query.ts';
import type { AccountsTable } from '../../../base/database/schema/accounts.ts';
import {
  SIGN_IN_COLUMNS,
  type SignInColumns,
  signInStateOf,
  USER_COLUMNS,
  type UserColumns,
  userOfColumns,
} from '../columns.ts';
import type { Account, AccountVisibility, ShownAccount, SignInAccount } from '../model.ts';
import { asciiAddress } from '../profile.ts';
import { insertEmail } from './emails.ts';

export type AccountRow = Selectable<AccountsTable>;
type SignInRow = SignInColumns & Pick<AccountRow, 'password_hash' | 'last_login_at'>;
export type AccountColumns = Updateable<AccountsTable>;

export function findAccountByName(db: Db, name: string): Promise<Account | undefined> {
  return findAccountWhere(db, fragment`o.lower_name = ${name.toLowerCase()}`);
}

export function findAccount(db: Db, id: number): Promise<Account | undefined> {
  return findAccountWhere(db, fragment`o.id = ${id}`);
}

/** Lists the accounts with these ids, without checking who may see them. */
export async function listAccountsById(db: Db, ids: readonly number[]): Promise<readonly Account[]> {
  const rows = await query<AccountRow>(
    db,
    fragment`select o.* from accounts o where o.id in (${values(ids)})`,
  );
  return rows.map(accountOf);
}

/** Finds an account by its name, if it is visible to the viewer. */
export function findVisibleAccount(db: Db, viewer: Viewer, name: string): Promise<Account | undefined> {
  return findAccountWhere(
    db,
    fragment`o.lower_name = ${name.toLowerCase()} and ${accountVisible(viewer)} = 1`,
  );
}

/**
 * Lists the visible users whose e-mail address or name is among these.
 *
 * @param lookup in lower case
 */
export async function listVisibleByEmailOrName(
  db: Db,
  viewer: Viewer,
  lookup: { readonly emails: readonly string[]; readonly names: readonly string[] },
): Promise<readonly Account[]> {
  const { emails, names } = lookup;
  const rows = await query<AccountRow>(
    db,
    fragment`select o.* from accounts o where o.kind = 'user' and ${accountVisible(viewer)} = 1
      and (o.lower_email in (${values(emails)}) or o.lower_name in (${values(names)}))`,
  );
  return rows.map(accountOf);
}

/**
 * Lists the visible users with these names.
 *
 * @param names in lower case
 */
export async function listVisibleByName(
  db: Db,
  viewer: Viewer,
  names: readonly string[],
): Promise<readonly Account[]> {
  const rows = await query<AccountRow>(
    db,
    fragment`select o.* from accounts o where o.kind = 'user' and ${accountVisible(viewer)} = 1
      and o.lower_name in (${values(names)})`,
  );
  return rows.map(accountOf);
}

/** Lists the accounts with these ids that the viewer may see. */
export async function listVisibleById(
  db: Db,
  viewer: Viewer,
  ids: readonly number[],
): Promise<readonly ShownAccount[]> {
  const rows = await query<UserColumns>(
    db,
    fragment`select ${USER_COLUMNS} from accounts o
      where o.id in (${values(ids)}) and ${accountVisible(viewer)} = 1`,
  );
  return rows.map(userOfColumns);
}

async function findAccountWhere(db: Db, condition: Fragment): Promise<Account | undefined> {
  const row = await queryFirst<AccountRow>(db, fragment`select o.* from accounts o where ${condition}`);
  return row && accountOf(row);
}

export function findSignInByName(db: Db, name: string): Promise<SignInAccount | undefined> {
  return findSignInWhere(db, fragment`a.lower_name = ${name.toLowerCase()}`);
}

/** Finds an account by its primary address, in any spelling of an international domain. */
export async function findSignInByEmail(db: Db, email: string): Promise<SignInAccount | undefined> {
  const lower = email.toLowerCase();
  const ascii = asciiAddress(lower) ?? lower;
  const found = await findSignInWhere(db, fragment`a.lower_email = ${lower}`);
  return found !== undefined || ascii === lower
    ? found
    : findSignInWhere(db, fragment`a.lower_email = ${ascii}`);
}

export function findSignInById(db: Db, id: number): Promise<SignInAccount | undefined> {
  return findSignInWhere(db, fragment`a.id = ${id}`);
}

async function findSignInWhere(db: Db, condition: Fragment): Promise<SignInAccount | undefined> {
  const row = await queryFirst<SignInRow>(
    db,
    fragment`select ${SIGN_IN_COLUMNS}, a.password_hash, a.last_login_at
      from accounts a where ${condition}`,
  );
  return row && signInOf(row);
}

export async function hasAdministrator(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('accounts')
    .select('id')
    .where('is_admin', '=', 1)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether an account other than `id` is an administrator that can sign in. */
export async function hasOtherAdministrator(tx: Tx, id: number): Promise<boolean> {
  const row = await tx
    .selectFrom('accounts')
    .select('id')
    .where('is_admin', '=', 1)
    .where('is_active', '=', 1)
    .where('is_login_prohibited', '=', 0)
    .where('id', '<>', id)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

interface NewAccountColumns {
  readonly name: string;
  readonly email: string;
  readonly passwordHash: string | null;
  readonly fullName: string;
  readonly visibility: AccountVisibility;
  readonly isAdmin: boolean;
  readonly isRestricted: boolean;
  readonly mustChangePassword: boolean;
  readonly isActive: boolean;
  readonly createdAt: number;
}

/** @throws a unique violation if another account has the name */
export async function insertOrganizationAccount(
  tx: Tx,
  organization: { name: string; visibility: AccountVisibility; createdAt: number },
): Promise<Account> {
  const row = await tx
    .insertInto('accounts')
    .values({
      kind: 'organization',
      name: organization.name,
      lower_name: organization.name.toLowerCase(),
      full_name: '',
      email: '',
      lower_email: null,
      password_hash: null,
      visibility: organization.visibility,
      created_at: organization.createdAt,
      updated_at: organization.createdAt,
      last_login_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return accountOf(row);
}

/** @throws a unique violation if another account has the name or the e-mail address */
export async function insertUser(tx: Tx, user: NewAccountColumns): Promise<Account> {
  const row = await tx
    .insertInto('accounts')
    .values({
      kind: 'user',
      name: user.name,
      lower_name: user.name.toLowerCase(),
      full_name: user.fullName,
      ...emailColumns(user.email),
      password_hash: user.passwordHash,
      is_admin: user.isAdmin ? 1 : 0,
      is_restricted: user.isRestricted ? 1 : 0,
      must_change_password: user.mustChangePassword ? 1 : 0,
      is_active: user.isActive ? 1 : 0,
      visibility: user.visibility,
      created_at: user.createdAt,
      updated_at: currentTimeMs(),
      last_login_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  if (user.email !== '')
    await insertEmail(tx, row.id, user.email, { isPrimary: true, isVerified: user.isActive });
  return accountOf(row);
}

export function emailColumns(email: string): { email: string; lower_email: string | null } {
  return { email, lower_email: email === '' ? null : email.toLowerCase() };
}

/** @throws a unique violation if another account has the e-mail address */
export async function setAccountColumns(tx: Tx, id: number, columns: AccountColumns): Promise<Account> {
  const row = await tx
    .updateTable('accounts')
    .set({ ...columns, updated_at: currentTimeMs() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return accountOf(row);
}

/** Sets a password. Credentials that were verified with the old one become invalid. */
export async function setPasswordHash(tx: Tx, id: number, hash: string): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ password_hash: hash, credential_version: sql<number>`credential_version + 1` })
    .where('id', '=', id)
    .execute();
}

/** Makes every password of an account wrong until it gets a new one. */
export async function removePasswordHash(tx: Tx, id: number): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ password_hash: null, credential_version: sql<number>`credential_version + 1` })
    .where('id', '=', id)
    .execute();
}

/** Ends all that began with the credentials of an account, also after it is enabled again. */
export async function raiseCredentialVersion(tx: Tx, id: number): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ credential_version: sql<number>`credential_version + 1` })
    .where('id', '=', id)
    .execute();
}

/**
 * Sets a password that its owner chose, if it still replaces the same one.
 *
 * @returns false if the account has another password or is gone
 */
export async function replacePasswordHash(
  tx: Tx,
  id: number,
  password: { hash: string; replacedVersion: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('accounts')
    .set({
      password_hash: password.hash,
      credential_version: sql<number>`credential_version + 1`,
      must_change_password: 0,
      updated_at: currentTimeMs(),
    })
    .where('id', '=', id)
    .where('credential_version', '=', password.replacedVersion)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function setLastLogin(tx: Tx, id: number, at: number): Promise<void> {
  await tx.updateTable('accounts').set({ last_login_at: at }).where('id', '=', id).execute();
}

/**
 * Deletes an account with its tokens and collaborations.
 *
 * @throws a foreign key violation if it owns repositories
 */
export async function deleteAccount(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('accounts').where('id', '=', id).execute();
}

export function accountOf(row: AccountRow): Account {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    fullName: row.full_name,
    email: row.email,
    keepsEmailPrivate: row.keeps_email_private === 1,
    visibility: row.visibility,
    website: row.website,
    location: row.location,
    description: row.description,
    pronouns: row.pronouns,
    hidesPronouns: row.hides_pronouns === 1,
    isRestricted: row.is_restricted === 1,
    starredCount: row.starred_count,
    followersCount: row.followers_count,
    followingCount: row.following_count,
    avatar: row.avatar,
    createdAt: row.created_at,
    isAdmin: row.is_admin === 1,
    isActive: row.is_active === 1,
    isLoginProhibited: row.is_login_prohibited === 1,
    mustChangePassword: row.must_change_password === 1,
    mayCreateOrganizations: row.may_create_organizations === 1,
    language: row.language,
    theme: row.theme,
    diffViewStyle: row.diff_view_style,
    hidesActivity: row.hides_activity === 1,
    showsUnitHints: row.shows_unit_hints === 1,
    lastLoginAt: row.last_login_at,
  };
}

function signInOf(row: SignInRow): SignInAccount {
  return {
    ...signInStateOf(row),
    passwordHash: row.password_hash,
    lastLoginAt: row.last_login_at,
  };
}
