import { randomBytes } from 'node:crypto';
import { ForgeError, invalid } from '../../base/core/failure.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import { type Database, isUniqueViolation, type Tx } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import { ACCOUNT_CREATED } from './events.ts';
import type { Account, NewAccount } from './model.ts';
import { accountNameProblem } from './names.ts';
import { requireValidProfile } from './profile.ts';
import { insertUser } from './store/accounts.ts';
import { deleteRedirect, listTakenNames } from './store/redirects.ts';

/** Generates a password from 120 random bits. It contains only letters and digits, so shells need no quotes for it. */
export function generatePassword(): string {
  return randomBytes(15).toString('base64url').replaceAll('-', 'x').replaceAll('_', 'y');
}

/**
 * Checks the fields of a new user.
 *
 * @param options.mayLackEmail whether '' stands for no address
 * @throws ForgeError `invalid` for an invalid name or field, `bad_request` for an invalid password
 */
export function requireValidUser(fields: NewAccount, { mayLackEmail = false } = {}): void {
  const problem = accountNameProblem(fields.name);
  if (problem !== undefined) throw invalid(problem);
  const { email, ...others } = fields;
  requireValidProfile(mayLackEmail && email === '' ? others : fields);
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

type SignedInUser = Omit<NewAccount, 'password'>;

/** Accounts of users who have signed in elsewhere: at a provider or a proxy. They have no password. */
export class UsersOfOthers {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  /** Returns the first of these names that no account has, or had before it got another one; undefined if all are taken. */
  async findFreeName(names: readonly string[]): Promise<string | undefined> {
    if (names.length === 0) return undefined;
    const lower = names.map((name) => name.toLowerCase());
    const taken = new Set(await listTakenNames(this.#database.reader, lower));
    return names.find((name) => !taken.has(name.toLowerCase()));
  }

  /**
   * Creates an account.
   *
   * @throws ForgeError `invalid`; `already_exists` if another account has the name or the e-mail address
   */
  async create(fields: SignedInUser): Promise<Account> {
    return this.#database
      .transaction((tx) => insertUserOfOthers(tx, fields))
      .catch((error: unknown) => {
        if (!isUniqueViolation(error)) throw error;
        const what = 'another account has the name or the e-mail address';
        throw new ForgeError({ kind: 'already_exists', what }, { cause: error });
      });
  }
}

/** @throws ForgeError `invalid`; a unique violation if another account has the name or the e-mail address */
export function insertUserOfOthers(tx: Tx, fields: SignedInUser): Promise<Account> {
  const user = { ...fields, password: null };
  requireValidUser(user, { mayLackEmail: true });
  return insertUserWithEvent(tx, null, user, null);
}
