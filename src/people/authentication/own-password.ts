import { ForgeError, notFound } from '../../base/core/failure.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { replacePassword } from '../accounts/changes.ts';
import type { SignInAccount } from '../accounts/model.ts';
import { requireValidProfile } from '../accounts/profile.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Tokens } from '../tokens/service.ts';
import type { Authentication } from './service.ts';

/** A change of the password by its owner. */
interface PasswordChange {
  readonly current: string;
  readonly replacement: string;
  /** whether all access tokens of the account stop working, too */
  readonly deletesTokens: boolean;
  /** address of the client */
  readonly address: string;
}

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly tokens: Tokens;
  readonly authentication: Authentication;
}

/** Lets users change their own passwords. */
export class OwnPassword {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Changes the password of a user who proves the current one. The current one stops working at once, everywhere.
   *
   * @throws ForgeError `forbidden` for a wrong current password, `bad_request` for an unusable new one, `conflict` if
   *   the password has changed meanwhile; `not_found`, `too_many_attempts`, `busy`
   */
  async change(accountId: number, change: PasswordChange): Promise<void> {
    const { current, replacement, deletesTokens, address } = change;
    const account = await this.#use.accounts.findSignInById(accountId);
    if (account === undefined) throw notFound('account');
    await this.#use.authentication.requirePassword(account, { password: current, address });
    await this.replace(account, { current, replacement }, async (tx) => {
      if (deletesTokens) await this.#use.tokens.deleteAll(tx, accountId);
    });
  }

  /**
   * Replaces the password of a user who has just proved the current one.
   *
   * @param next ends the transaction; it gets the version of the account with the new password
   * @throws ForgeError as `change`
   */
  async replace<Result>(
    account: SignInAccount,
    { current, replacement }: Pick<PasswordChange, 'current' | 'replacement'>,
    next: (tx: Tx, replaced: Pick<SignInAccount, 'id' | 'credentialVersion'>) => Promise<Result>,
  ): Promise<Result> {
    requireValidProfile({ password: replacement });
    if (replacement === current) throw unusable('the new password must differ from the current one');
    const hash = await this.#use.accounts.passwords.hash(replacement);
    return this.#use.database.transaction(async (tx) => {
      await replacePassword(tx, account, hash, this.#use.accounts);
      return next(tx, { id: account.id, credentialVersion: account.credentialVersion + 1 });
    });
  }
}

function unusable(what: string): ForgeError {
  return new ForgeError({ kind: 'bad_request', what });
}
