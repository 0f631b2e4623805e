import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { ForgeError, forbidden, invalid, MovedError, notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import { Signal } from '../../base/core/signal.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import { type Database, isUniqueViolation, type Tx } from '../../base/database/database.ts';
import { WhileUnchanged } from '../../base/database/while-unchanged.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { CommitPerson } from '../../git/trees/commit-builder.ts';
import type { Addresses } from '../../http/app.ts';
import { SITE } from './actions.ts';
import { type Actor, actorId, requireAdministration } from './actor.ts';
import {
  type AccountVisibilityChange,
  type CredentialsEnd,
  changeUser,
  removeFrom,
  renameAccount,
  type UserRemoval,
  type UserRename,
} from './changes.ts';
import { generatePassword, insertUserWithEvent, requireValidUser, UsersOfOthers } from './create-account.ts';
import { AccountEmails } from './emails.ts';
import { ACCOUNT_RENAMED } from './events.ts';
import { type FirstAdministrator, insertFirstAdministrator } from './first-administrator.ts';
import { ACCOUNT_LIMITS } from './limits.ts';
import type {
  Account,
  AccountEdit,
  AccountSearch,
  CommittingAccount,
  NewAccount,
  PublicAccount,
  SignInAccount,
} from './model.ts';
import { isPossibleAccountName } from './names.ts';
import { PasswordHashing } from './passwords/hash-password.ts';
import { noreplyAddress, presentOwner } from './present.ts';
import { requireValidProfile } from './profile.ts';
import {
  findAccount,
  findAccountByName,
  findSignInByEmail,
  findSignInById,
  findSignInByName,
  findVisibleAccount,
  hasAdministrator,
  listAccountsById,
  listVisibleByEmailOrName,
  listVisibleByName,
  setLastLogin,
} from './store/accounts.ts';
import { type ListedUsers, listUsers } from './store/lists.ts';
import { findNewName, findVisibleNewName } from './store/redirects.ts';

export type { Actor } from './actor.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly passwords?: PasswordHashing;
}

export class Accounts {
  readonly passwords: PasswordHashing;
  readonly emails: AccountEmails;
  readonly ofOthers: UsersOfOthers;
  /** before a user is deleted; a listener that throws keeps the user */
  readonly userLeaving = new Signal<[tx: Tx, removal: UserRemoval]>();
  /** of a user or an organization */
  readonly visibilityChanged = new Signal<[tx: Tx, change: AccountVisibilityChange]>();
  readonly signInsEnded = new Signal<[tx: Tx, end: CredentialsEnd]>();
  /** An administrator has set the address or the password of a user, or has disabled it. */
  readonly ownerSet = new Signal<[tx: Tx, owned: { readonly accountId: number }]>();
  readonly userRenamed = new Signal<[tx: Tx, rename: UserRename]>();
  readonly #use: Dependencies;
  /** by the name or email address that signs in */
  readonly #signIns: WhileUnchanged<string, SignInAccount>;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.passwords = dependencies.passwords ?? new PasswordHashing();
    this.emails = new AccountEmails(dependencies);
    this.ofOthers = new UsersOfOthers(dependencies);
    this.#signIns = new WhileUnchanged(this.#use.database, {
      entriesMax: ACCOUNT_LIMITS.credentialRowsRememberedMax,
    });
  }

  /**
   * Finds a visible user or organization.
   *
   * @throws ForgeError `not_found`; as `MovedError` if it has a new name
   */
  async getByName(viewer: Viewer, name: string): Promise<Account> {
    if (!isPossibleAccountName(name)) throw notFound('account');
    const { reader } = this.#use.database;
    const found = await findVisibleAccount(reader, viewer, name);
    if (found !== undefined) return found;
    const to = await findVisibleNewName(reader, viewer, name);
    throw to === undefined ? notFound('account') : new MovedError('account', { from: name, to });
  }

  /**
   * Finds a visible user or organization whom the filter of a list names.
   *
   * @throws ForgeError `bad_request`, the same for an account that is missing, hidden or renamed
   */
  async getForFilter(viewer: Viewer, name: string): Promise<Account> {
    try {
      return await this.getByName(viewer, name);
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      throw new ForgeError({ kind: 'bad_request', what: `there is no account ${name}` }, { cause: error });
    }
  }

  /**
   * Finds the visible users behind the e-mail addresses of commits, by address in lower case. An address that the viewer
   * may not see connects nothing; a noreply address names its user to everyone.
   */
  async findByCommitEmails(
    viewer: Viewer,
    emails: readonly string[],
  ): Promise<ReadonlyMap<string, PublicAccount>> {
    const wanted = [...new Set(emails.map((email) => email.toLowerCase()))].filter(
      (email) => email !== '' && isPlainLine(email),
    );
    if (wanted.length === 0) return new Map();
    const names = wanted.map((email) => email.slice(0, Math.max(email.lastIndexOf('@'), 0)));
    const found = await listVisibleByEmailOrName(this.#use.database.reader, viewer, {
      emails: wanted,
      names,
    });
    const known = found.flatMap((account) => {
      const shown = presentOwner(account, viewer, this.#use.addresses).email.toLowerCase();
      return [shown, noreplyAddress(account, this.#use.addresses)].map((email) => [email, account] as const);
    });
    return new Map(known.filter(([email]) => wanted.includes(email)));
  }

  /** Finds the visible users with these names, by name in lower case, with one statement. */
  async findVisibleUsers(
    viewer: Viewer,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, PublicAccount>> {
    const wanted = names.filter(isPossibleAccountName).map((name) => name.toLowerCase());
    if (wanted.length === 0) return new Map();
    const found = await listVisibleByName(this.#use.database.reader, viewer, wanted);
    return new Map(found.map((account) => [account.name.toLowerCase(), account]));
  }

  /** Returns the current name of a renamed account, without authorization. */
  async findNewName(oldName: string): Promise<string | undefined> {
    return isPossibleAccountName(oldName) ? findNewName(this.#use.database.reader, oldName) : undefined;
  }

  /**
   * Returns the viewer's own account.
   *
   * @throws ForgeError `forbidden` for a token that is limited to public data, if the account is not public
   */
  async getSelf(viewer: SignedIn): Promise<Account> {
    const account = await this.get(viewer.accountId);
    if (viewer.publicOnly && account.visibility !== 'public')
      throw forbidden('token scope is limited to public accounts');
    return account;
  }

  /**
   * Returns the viewer's own account, which must be a user's.
   *
   * @throws ForgeError as `getSelf`, and `invalid` for an administrator who acts as an organization
   */
  async getOwnUser(viewer: SignedIn): Promise<Account> {
    const account = await this.getSelf(viewer);
    if (account.kind !== 'user') throw invalid('an organization has no user settings');
    return account;
  }

  /** Finds an account without authorization, for work on its behalf and for commands. */
  async findByName(name: string): Promise<Account | undefined> {
    if (!isPossibleAccountName(name)) return undefined;
    return findAccountByName(this.#use.database.reader, name);
  }

  /** @throws ForgeError `not_found` */
  async get(id: number): Promise<CommittingAccount> {
    const account = await findAccount(this.#use.database.reader, id);
    if (account === undefined) throw notFound('account');
    return { ...account, commitEmail: this.#commitEmailOf(account) };
  }

  #commitEmailOf(account: Account): string {
    const hides = account.keepsEmailPrivate || account.email === '';
    return hides ? noreplyAddress(account, this.#use.addresses) : account.email;
  }

  /**
   * Returns the name and address that commits give for an account, and its own address, which may be hidden.
   *
   * @throws ForgeError `not_found`
   */
  async commitPerson(id: number): Promise<CommitPerson & { readonly ownEmail: string }> {
    const account = await this.get(id);
    return { ...this.#personOf(account), ownEmail: account.email };
  }

  /** Returns the names and addresses that commits give for accounts, in this order, without missing accounts. */
  async commitPeople(ids: readonly number[]): Promise<readonly CommitPerson[]> {
    if (ids.length === 0) return [];
    const found = await listAccountsById(this.#use.database.reader, ids);
    const byId = new Map(found.map((account) => [account.id, this.#personOf(account)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  #personOf(account: Account): CommitPerson {
    const { name, fullName } = account;
    return { name: fullName === '' ? name : fullName, email: this.#commitEmailOf(account) };
  }

  /** Finds an account with its password hash, by name or e-mail address. */
  async findSignIn(login: string): Promise<SignInAccount | undefined> {
    return this.#signIns.get(login, () => this.#readSignIn(login));
  }

  async #readSignIn(login: string): Promise<SignInAccount | undefined> {
    if (login.includes('@')) {
      const isPossible = login.length <= ACCOUNT_LIMITS.emailCharsMax && !login.includes('\0');
      return isPossible ? findSignInByEmail(this.#use.database.reader, login) : undefined;
    }
    return isPossibleAccountName(login) ? findSignInByName(this.#use.database.reader, login) : undefined;
  }

  /** Finds an account with its password hash. */
  async findSignInById(id: number): Promise<SignInAccount | undefined> {
    return findSignInById(this.#use.database.reader, id);
  }

  async recordSignIn(id: number, at: number): Promise<void> {
    await this.#use.database.transaction((tx) => setLastLogin(tx, id, at));
  }

  /** @throws ForgeError `unauthenticated`, `forbidden` */
  async listUsers(actor: Actor, paging: Paging, search: AccountSearch = {}): Promise<Page<Account>> {
    requireAdministration(actor, SITE.listAccounts);
    const viewer = actor === 'operator' || !actor.publicOnly ? null : actor;
    return this.#list({ viewer, onlyActive: false }, search, paging);
  }

  /** Searches the visible users. */
  searchUsers(viewer: Viewer, search: AccountSearch, paging: Paging): Promise<Page<Account>> {
    return this.#list({ viewer, onlyActive: true }, search, paging);
  }

  async #list(listed: ListedUsers, search: AccountSearch, paging: Paging): Promise<Page<Account>> {
    const { words = '' } = search;
    // No name contains such words, and a long pattern is slow.
    if (words.length > ACCOUNT_LIMITS.searchWordCharsMax || !isPlainLine(words))
      return { items: [], total: 0 };
    return listUsers(this.#use.database.reader, listed, search, paging);
  }

  /** @throws ForgeError `unauthenticated`, `forbidden`, `invalid`, `bad_request`, `already_exists` */
  async createUser(actor: Actor, fields: NewAccount): Promise<Account> {
    requireAdministration(actor, SITE.createAccount);
    requireValidUser(fields);
    const passwordHash = fields.password === null ? null : await this.passwords.hash(fields.password);
    return this.#use.database
      .transaction((tx) => insertUserWithEvent(tx, actorId(actor), fields, passwordHash))
      .catch((error) => this.#rethrowTaken(error, fields));
  }

  /**
   * Creates a site administrator if none exists. Several processes may call this at once.
   *
   * @returns undefined if one exists, perhaps after showing a password that therefore applies to no account
   * @throws ForgeError `invalid`, `bad_request` for an invalid name, address or password; `already_exists` if another
   *   account has the name or the address
   */
  async ensureFirstAdministrator(wanted: FirstAdministrator): Promise<Account | undefined> {
    if (await hasAdministrator(this.#use.database.reader)) return undefined;
    const { name, email, password = generatePassword() } = wanted;
    const fields: NewAccount = { name, email, password, isAdmin: true };
    requireValidUser(fields);
    const hash = await this.passwords.hash(password);
    if (wanted.password === undefined) await wanted.showPassword(password);
    return this.#use.database
      .transaction((tx) => insertFirstAdministrator(tx, fields, hash))
      .catch((error) => this.#rethrowTaken(error, fields));
  }

  /** Whether this is the password of the user. Takes as long for a missing account. */
  async isPasswordOf(name: string, password: string): Promise<boolean> {
    const account = await this.findSignIn(name);
    return this.passwords.verify(password, account?.passwordHash ?? null);
  }

  /**
   * Changes an account. A new password, and disabling the account, end all that began before.
   *
   * @throws ForgeError `unauthenticated`, `forbidden`, `not_found`, `invalid`, `bad_request`, `already_exists`
   */
  async editUser(actor: Actor, name: string, edit: AccountEdit): Promise<Account> {
    requireAdministration(actor, SITE.editAccount);
    requireValidProfile(edit);
    const known = await this.#getUser(actor, name);
    const hash = edit.password === undefined ? undefined : await this.passwords.hash(edit.password);
    return this.#change(actor, known.id, edit, hash);
  }

  /**
   * Changes the viewer's own profile and settings.
   *
   * @throws ForgeError as `getOwnUser`, and `invalid`
   */
  async editSelf(viewer: SignedIn, edit: AccountEdit): Promise<Account> {
    requireValidProfile(edit);
    const { id } = await this.getOwnUser(viewer);
    return this.#change(viewer, id, edit, undefined);
  }

  #change(actor: Actor, id: number, edit: AccountEdit, passwordHash: string | undefined): Promise<Account> {
    return this.#use.database
      .transaction((tx) => changeUser(tx, { id, edit, passwordHash, actorId: actorId(actor) }, this))
      .catch((error) => this.#rethrowTaken(error, { name: '', email: edit.email ?? '' }));
  }

  /** @throws ForgeError as `editUser` */
  async setPassword(actor: Actor, name: string, password: string): Promise<Account> {
    return this.editUser(actor, name, { password });
  }

  /**
   * Renames a user. The old name redirects until another account takes it.
   *
   * @throws ForgeError `unauthenticated`, `forbidden`, `not_found`, `invalid`, `already_exists`
   */
  async renameUser(actor: Actor, name: string, newName: string): Promise<void> {
    requireAdministration(actor, SITE.editAccount);
    const known = await this.#getUser(actor, name);
    await this.#use.database
      .transaction(async (tx) => {
        const renamed = await renameAccount(tx, { id: known.id, to: newName });
        if (renamed === null) return;
        const payload = { accountId: known.id, from: renamed.from, to: newName };
        await this.userRenamed.notify(tx, payload);
        await insertEvent(tx, ACCOUNT_RENAMED, { actorId: actorId(actor), repositoryId: null, payload });
      })
      .catch((error) => this.#rethrowTaken(error, { name: newName, email: '' }));
  }

  /**
   * Deletes a user with its tokens, memberships and collaborations; with `purge` also its repositories and the
   * organizations that only this user owns.
   *
   * @throws ForgeError `unauthenticated`, `forbidden`, `not_found`; `invalid` for oneself, the last administrator, and,
   *   without `purge`, for an account that owns repositories or is the only owner of an organization
   */
  async deleteUser(actor: Actor, name: string, options: { purge?: boolean } = {}): Promise<void> {
    requireAdministration(actor, SITE.deleteAccount);
    const known = await this.#getUser(actor, name);
    if (known.id === actorId(actor)) throw invalid('you cannot delete your own account');
    const removal = { id: known.id, actorId: actorId(actor), purge: options.purge ?? false };
    await removeFrom(this.#use.database, removal, this.userLeaving);
  }

  /**
   * Deletes the viewer's own account, as an administrator does without `purge`.
   *
   * @throws ForgeError as `getOwnUser`, and as `deleteUser`
   */
  async deleteSelf(viewer: SignedIn): Promise<void> {
    const { id } = await this.getOwnUser(viewer);
    await removeFrom(this.#use.database, { id, actorId: id, purge: false }, this.userLeaving);
  }

  /** @throws ForgeError `not_found`, `invalid` for an organization */
  async #getUser(actor: Actor, name: string): Promise<Account> {
    const found = actor === 'operator' ? await this.findByName(name) : await this.getByName(actor, name);
    if (found === undefined) throw notFound('account', { say: `there is no account ${name}` });
    if (found.kind !== 'user') throw invalid(`${found.name} is an organization, not a user`);
    return found;
  }

  async #rethrowTaken(error: unknown, fields: { name: string; email: string }): Promise<never> {
    if (!isUniqueViolation(error)) throw error;
    const isName = (await this.findByName(fields.name)) !== undefined;
    const what = isName
      ? `user already exists [name: ${fields.name}]`
      : `e-mail already in use [email: ${fields.email}]`;
    throw new ForgeError({ kind: 'already_exists', what }, { cause: error });
  }
}
