import type { SignedIn } from '../../api/access/viewer.ts';
import { ForgeError, forbidden } from '../../base/core/failure.ts';
import type { Database } from '../../base/database/database.ts';
import type { SignInAccount } from '../accounts/model.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Browser, Proof, SessionBearer, StartedSession } from '../sessions/model.ts';
import type { Sessions } from '../sessions/service.ts';
import type { OwnPassword } from './own-password.ts';
import type { Authentication } from './service.ts';

/** What a user types into the sign-in page. */
export interface TypedSignIn {
  /** a name or an e-mail address */
  readonly login: string;
  readonly password: string;
  /** '': the password stays */
  readonly newPassword: string;
}

/** How a sign-in goes on. */
export type SignInStep =
  | { readonly kind: 'done'; readonly session: StartedSession }
  /** The user must choose a new password, and sends it with the current one. */
  | { readonly kind: 'new-password' };

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly authentication: Authentication;
  readonly ownPassword: OwnPassword;
  readonly sessions: Sessions;
}

/** Signs browsers in. */
export class BrowserSignIn {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Begins a session of a user who types a password.
   *
   * @throws ForgeError `unauthenticated`; `forbidden` for a disabled account; `bad_request` for an unusable new password;
   *   `conflict` if the account changes at the same time; `too_many_attempts`, `busy`
   */
  async start({ login, password, newPassword }: TypedSignIn, browser: Browser): Promise<SignInStep> {
    const { authentication, ownPassword } = this.#use;
    const account = await authentication.checkPassword({ login, password, address: browser.address });
    const started = { browser, proofs: ['password'] as readonly Proof[] };
    if (!account.mustChangePassword) return { kind: 'done', session: await this.#begin(account, started) };
    if (newPassword === '') return { kind: 'new-password' };
    const session = await ownPassword.replace(
      account,
      { current: password, replacement: newPassword },
      (tx, replaced) => this.#use.sessions.start(tx, replaced, started),
    );
    return { kind: 'done', session };
  }

  /**
   * Confirms that it is the user of a session who uses the browser.
   *
   * @throws ForgeError `forbidden` for a wrong password, and for a viewer without a session; `unauthenticated` for a
   *   session that has ended; `too_many_attempts`, `busy`
   */
  async confirm(
    viewer: SignedIn,
    { password, address }: { readonly password: string; readonly address: string },
  ): Promise<StartedSession> {
    const { account, session } = await this.#own(viewer);
    await this.#use.authentication.requirePassword(account, { password, address });
    return this.#use.sessions.prove(session);
  }

  /**
   * Changes the password of the user of a session, who proves the current one. The browser gets a new session, and all other
   * sign-ins end.
   *
   * @throws ForgeError as `confirm`; `bad_request` for an unusable new password; `conflict` if the account changes at the
   *   same time
   */
  async changePassword(
    viewer: SignedIn,
    { current, replacement }: { readonly current: string; readonly replacement: string },
    { userAgent, address }: Pick<Browser, 'userAgent' | 'address'>,
  ): Promise<StartedSession> {
    const { authentication, ownPassword, sessions } = this.#use;
    const { account, session } = await this.#own(viewer);
    await authentication.requirePassword(account, { password: current, address });
    const { isRemembered, proofs } = session;
    const started = { browser: { userAgent, address, isRemembered }, proofs };
    return ownPassword.replace(account, { current, replacement }, (tx, replaced) =>
      sessions.start(tx, replaced, started),
    );
  }

  /** Requires the password of the user of a session. @throws ForgeError as `confirm` */
  async requireOwnPassword(
    viewer: SignedIn,
    sent: { readonly password: string; readonly address: string },
  ): Promise<void> {
    const { account } = await this.#own(viewer);
    await this.#use.authentication.requirePassword(account, sent);
  }

  async #own(
    viewer: SignedIn,
  ): Promise<{ readonly account: SignInAccount; readonly session: SessionBearer['session'] }> {
    if (viewer.source?.kind !== 'session') throw forbidden('only a browser that has signed in can confirm');
    const found = await this.#use.sessions.findById(viewer.source.sessionId);
    const account = await this.#use.accounts.findSignInById(viewer.accountId);
    if (found === undefined || account === undefined)
      throw new ForgeError({ kind: 'unauthenticated', what: 'the session has ended: sign in again' });
    return { account, session: found.session };
  }

  #begin(
    account: SignInAccount,
    started: { readonly browser: Browser; readonly proofs: readonly Proof[] },
  ): Promise<StartedSession> {
    return this.#use.database.transaction((tx) => this.#use.sessions.start(tx, account, started));
  }
}
