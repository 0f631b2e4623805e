import { requireGranted } from '../access/guard.ts';
import { type Action, decideWithoutRepository } from '../access/policy.ts';
import type { SignedIn, Viewer } from '../access/viewer.ts';
import { ForgeError, forbidden, invalid, notFound } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import type { Page, Paging } from '../core/paging.ts';
import { type Database, isForeignKeyViolation, isUniqueViolation, type Tx } from '../database/database.ts';
import { insertEvent } from '../events/store.ts';
import type { Addresses } from '../http/app.ts';
import { generatePassword, insertAnnounced } from './creation.ts';
import { changedFields, columnsOf } from './edit.ts';
import { type FirstAdministrator, insertUnlessAdministrated } from './first-administrator.ts';
import {
  type Account,
  type AccountEdit,
  type CommittingAccount,
  maySignIn,
  type NewAccount,
  type SignInAccount,
} from './model.ts';
import { accountNameProblem, isPossibleAccountName } from './names.ts';
import { PasswordHashing } from './password-hashing.ts';
import { noreplyAddress } from './present.ts';
import { requireValidProfile } from './profile.ts';
import {
  deleteAccount,
  findAccount,
  findAccountByName,
  findSignInByEmail,
  findSignInByName,
  hasAdministrator,
  hasOtherAdministrator,
  listUsers,
  lockAccountByName,
  lockAdministrators,
  setAccountColumns,
  setLastLogin,
  setPasswordHash,
} from './store.ts';
import { isVisible } from './visibility.ts';

/** Who does something: a viewer of the wire, or the person at the command line of the machine itself. */
export type Actor = Viewer | 'operator';

export class Accounts {
  readonly passwords: PasswordHashing;
  readonly #database: Database;
  readonly #addresses: Addresses;

  constructor(dependencies: { database: Database; addresses: Addresses; passwords?: PasswordHashing }) {
    this.#database = dependencies.database;
    this.#addresses = dependencies.addresses;
    this.passwords = dependencies.passwords ?? new PasswordHashing();
  }

  /**
   * A user or an organization, if `viewer` may know of it.
   *
   * @throws ForgeError `not_found`
   */
  async getByName(viewer: Viewer, name: string): Promise<Account> {
    const found = await this.findByName(name);
    if (found === undefined || !isVisible(found, viewer)) throw notFound('account');
    return found;
  }

  /**
   * The viewer's own account.
   *
   * @throws ForgeError `forbidden` for a token that sees only what is public, where the account is not
   */
  async getSelf(viewer: SignedIn): Promise<Account> {
    const account = await this.get(viewer.accountId);
    if (!isVisible(account, viewer)) throw forbidden('token scope is limited to public accounts');
    return account;
  }

  /** Whoever asks: for what happens on behalf of the account, and for commands on the machine itself. */
  async findByName(name: string): Promise<Account | undefined> {
    if (!isPossibleAccountName(name)) return undefined;
    return findAccountByName(this.#database.reader, name);
  }

  /** @throws ForgeError `not_found` */
  async get(id: number): Promise<CommittingAccount> {
    const account = await findAccount(this.#database.reader, id);
    if (account === undefined) throw notFound('account');
    const hides = account.keepsEmailPrivate || account.email === '';
    return { ...account, commitEmail: hides ? noreplyAddress(account, this.#addresses) : account.email };
  }

  /**
   * As commits name an account that says nothing else.
   *
   * @throws ForgeError `not_found`
   */
  async commitPerson(id: number): Promise<{ name: string; commitEmail: string }> {
    const { name, fullName, commitEmail } = await this.get(id);
    return { name: fullName === '' ? name : fullName, commitEmail };
  }

  /** What a password is checked against, by the name or e-mail that came with it. */
  async findSignIn(login: string): Promise<SignInAccount | undefined> {
    if (login.includes('@')) {
      const isPossible = login.length <= LIMITS.emailCharsMax && !login.includes('\0');
      return isPossible ? findSignInByEmail(this.#database.reader, login) : undefined;
    }
    return isPossibleAccountName(login) ? findSignInByName(this.#database.reader, login) : undefined;
  }

  async recordSignIn(id: number, at: number): Promise<void> {
    await this.#database.transaction((tx) => setLastLogin(tx, id, at));
  }

  /** @throws ForgeError `unauthenticated`, `forbidden` */
  listUsers(actor: Actor, paging: Paging): Promise<Page<Account>> {
    requireAdministration(actor, 'site.list-accounts');
    return listUsers(this.#database.reader, paging);
  }

  /** @throws ForgeError `unauthenticated`, `forbidden`, `invalid`, `bad_request`, `already_exists` */
  async createUser(actor: Actor, wanted: NewAccount): Promise<Account> {
    requireAdministration(actor, 'site.create-account');
    const problem = accountNameProblem(wanted.name);
    if (problem !== undefined) throw invalid(problem);
    requireValidProfile(wanted);
    const passwordHash = wanted.password === null ? null : await this.passwords.hash(wanted.password);
    return this.#database
      .transaction((tx) => insertAnnounced(tx, actorId(actor), wanted, passwordHash))
      .catch((error) => this.#rethrowTaken(error, wanted));
  }

  /**
   * Makes a site administrator where none is; safe to call from several processes at once.
   *
   * @returns undefined where there is one already
   * @throws ForgeError `invalid`, `bad_request` for a name or password that cannot be one; `already_exists` where
   *   somebody else has the name
   */
  async ensureFirstAdministrator(options: {
    name: string;
    password?: string;
  }): Promise<FirstAdministrator | undefined> {
    if (await hasAdministrator(this.#database.reader)) return undefined;
    const problem = accountNameProblem(options.name);
    if (problem !== undefined) throw invalid(problem);
    const password = options.password ?? generatePassword();
    const wanted: NewAccount = { name: options.name, email: '', password, isAdmin: true };
    requireValidProfile({ password });
    const hash = await this.passwords.hash(password);
    const account = await this.#database
      .transaction((tx) => insertUnlessAdministrated(tx, wanted, hash))
      .catch((error) => this.#rethrowTaken(error, wanted));
    if (account === undefined) return undefined;
    return { account, generatedPassword: options.password === undefined ? password : null };
  }

  /**
   * Changes an account; what verified its password before counts no more where the password changes.
   *
   * @throws ForgeError `unauthenticated`, `forbidden`, `not_found`, `invalid`, `bad_request`, `already_exists`
   */
  async editUser(actor: Actor, name: string, edit: AccountEdit): Promise<Account> {
    requireAdministration(actor, 'site.edit-account');
    requireValidProfile(edit);
    const known = await this.#getUser(actor, name);
    const hash = edit.password === undefined ? undefined : await this.passwords.hash(edit.password);
    return this.#database
      .transaction(async (tx) => {
        await lockAdministrators(tx);
        const account = await lockAccountByName(tx, known.name);
        if (account === undefined) throw notFound('account');
        const changed = [...changedFields(account, edit), ...(hash === undefined ? [] : ['password'])];
        if (changed.length === 0) return account;
        if (hash !== undefined) await setPasswordHash(tx, account.id, hash);
        const edited = await setAccountColumns(tx, account.id, columnsOf(edit));
        await requireAdministratorLeft(tx, account, edited);
        await insertEvent(tx, {
          kind: 'account.changed',
          actorId: actorId(actor),
          repositoryId: null,
          payload: { accountId: account.id, changed },
        });
        return edited;
      })
      .catch((error) => this.#rethrowTaken(error, { name: '', email: edit.email ?? '' }));
  }

  /** @throws ForgeError as `editUser` */
  async setPassword(actor: Actor, name: string, password: string): Promise<Account> {
    return this.editUser(actor, name, { password });
  }

  /**
   * Removes a user with its tokens and collaborations.
   *
   * @throws ForgeError `unauthenticated`, `forbidden`, `not_found`; `invalid` for oneself, an account that owns
   *   repositories, and the last administrator
   */
  async deleteUser(actor: Actor, name: string): Promise<void> {
    requireAdministration(actor, 'site.delete-account');
    const known = await this.#getUser(actor, name);
    if (known.id === actorId(actor)) throw invalid('you cannot delete your own account');
    await this.#database
      .transaction(async (tx) => {
        await lockAdministrators(tx);
        const account = await lockAccountByName(tx, known.name);
        if (account === undefined) throw notFound('account');
        await deleteAccount(tx, account.id);
        await requireAdministratorLeft(tx, account, undefined);
        await insertEvent(tx, {
          kind: 'account.deleted',
          actorId: actorId(actor),
          repositoryId: null,
          payload: { accountId: account.id, name: account.name },
        });
      })
      .catch((error) => {
        if (!isForeignKeyViolation(error)) throw error;
        throw new ForgeError(
          { kind: 'invalid', what: 'the account owns repositories: delete or transfer them first' },
          { cause: error },
        );
      });
  }

  /** @throws ForgeError `not_found`, `invalid` for an organization */
  async #getUser(actor: Actor, name: string): Promise<Account> {
    const found = actor === 'operator' ? await this.findByName(name) : await this.getByName(actor, name);
    if (found === undefined) throw notFound(`there is no account ${name}`);
    if (found.kind !== 'user') throw invalid(`${found.name} is an organization, not a user`);
    return found;
  }

  async #rethrowTaken(error: unknown, wanted: { name: string; email: string }): Promise<never> {
    if (!isUniqueViolation(error)) throw error;
    const isName = (await this.findByName(wanted.name)) !== undefined;
    const what = isName
      ? `user already exists [name: ${wanted.name}]`
      : `e-mail already in use [email: ${wanted.email}]`;
    throw new ForgeError({ kind: 'already_exists', what }, { cause: error });
  }
}

function actorId(actor: Actor): number | null {
  return actor === 'operator' ? null : actor.accountId;
}

function requireAdministration(actor: Actor, action: Action): void {
  if (actor === 'operator') return;
  requireGranted(decideWithoutRepository(actor, action), {
    what: action,
    why: 'only a site administrator may do this',
  });
}

/** Without an administrator nobody could make one over the wire. */
async function requireAdministratorLeft(tx: Tx, before: Account, after: Account | undefined): Promise<void> {
  if (!canAdminister(before) || (after !== undefined && canAdminister(after))) return;
  if (await hasOtherAdministrator(tx, before.id)) return;
  throw invalid(`${before.name} is the last site administrator: make another one first`);
}

function canAdminister(account: Account): boolean {
  return account.isAdmin && maySignIn(account);
}
