import type { SignedIn } from '../../api/access/viewer.ts';
import { ForgeError, forbidden } from '../../base/core/failure.ts';
import { SignedClaims } from '../../base/core/signed-claims.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { maySignIn, type SignInAccount, type SignInState } from '../accounts/model.ts';
import { requireValidProfile } from '../accounts/profile.ts';
import type { Accounts } from '../accounts/service.ts';
import { SECOND_FACTOR_LIMITS } from '../second-factor/limits.ts';
import type { PasskeyAnswer, PasskeyRequest } from '../second-factor/model.ts';
import type { Passkeys } from '../second-factor/passkeys.ts';
import type { SecondFactors } from '../second-factor/service.ts';
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

/** What a user sends besides a password. */
export interface SentSecondFactor {
  /** a one-time code or a recovery code; '' with a passkey */
  readonly code: string;
  readonly passkey?: PasskeyAnswer | undefined;
}

/** What a user sends after the password. */
export interface TypedSecondFactor extends SentSecondFactor {
  /** '': the password stays */
  readonly newPassword: string;
}

/** How a sign-in goes on. */
export type SignInStep =
  /** The user must choose a new password, and sends it with the current one. */
  { readonly kind: 'new-password' } | LaterStep;

/** How a sign-in goes on once the password needs no more. */
export type LaterStep = { readonly kind: 'done'; readonly session: StartedSession } | PendingSignIn;

/** The user must prove who they are in a second way, too. */
export interface PendingSignIn {
  readonly kind: 'second-factor';
  /** for the next step; it grants nothing else */
  readonly pending: string;
  readonly asks: SecondFactorQuestion;
  /** whether the user also chooses a new password in the next step */
  readonly needsNewPassword: boolean;
}

/** What a page asks for besides the password. */
export interface SecondFactorQuestion {
  /** whether the account has one-time codes; otherwise, a code is a recovery code */
  readonly hasCodes: boolean;
  /** undefined for an account without passkeys */
  readonly passkey: PasskeyRequest | undefined;
}

/** What the page asks for on which a user proves again who they are. */
export interface Confirmation {
  /** whether a password confirms */
  readonly hasPassword: boolean;
  /** besides the password; its passkey also confirms alone. undefined for an account without a factor */
  readonly factor: SecondFactorQuestion | undefined;
}

/** A sign-in between its steps. */
interface PendingClaims {
  readonly accountId: number;
  /** `credentialVersion` of the account when the password was right */
  readonly version: number;
  readonly isRemembered: boolean;
  /** ms */
  readonly expiresAt: number;
}

interface Dependencies {
  readonly database: Database;
  /** of this server */
  readonly secret: Uint8Array;
  readonly accounts: Accounts;
  readonly authentication: Authentication;
  readonly ownPassword: OwnPassword;
  readonly sessions: Sessions;
  readonly secondFactors: SecondFactors;
  readonly passkeys: Passkeys;
}

/** A browser, before it is known whether it keeps its cookie. */
type AnyBrowser = Omit<Browser, 'isRemembered'>;

/** Signs browsers in. */
export class BrowserSignIn {
  readonly #use: Dependencies;
  readonly #pending: SignedClaims<PendingClaims>;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#pending = new SignedClaims(this.#use.secret, 'pending sign-ins');
  }

  /**
   * Begins a session of a user who types a password, or the next step.
   *
   * @throws ForgeError `unauthenticated`; `forbidden` for a disabled account; `bad_request` for an unusable new password;
   *   `conflict` if the account changes at the same time; `too_many_attempts`, `busy`
   */
  async start({ login, password, newPassword }: TypedSignIn, browser: Browser): Promise<SignInStep> {
    const { authentication, ownPassword } = this.#use;
    const account = await authentication.checkPassword({ login, password, address: browser.address });
    if (account.hasSecondFactor) return this.#pend(account, browser);
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
   * Begins a session of a user who sends a code after the password.
   *
   * @param pending of the step before
   * @throws ForgeError `expired` if the step before is too old, or the account has changed since; `forbidden` for a wrong
   *   code; otherwise as `start`
   */
  async finish(
    pending: string,
    { newPassword, ...sent }: TypedSecondFactor,
    anyBrowser: AnyBrowser,
  ): Promise<LaterStep> {
    const { accounts, ownPassword, sessions } = this.#use;
    const { account, isRemembered } = await this.#resume(pending);
    const browser = { ...anyBrowser, isRemembered };
    // Before the code, which works only once.
    if (account.mustChangePassword) {
      if (newPassword === '') return this.#pend(account, browser);
      requireValidProfile({ password: newPassword });
      if (await accounts.passwords.verify(newPassword, account.passwordHash))
        throw new ForgeError({
          kind: 'bad_request',
          what: 'the new password must differ from the current one',
        });
    }
    const proof = await this.#requireFactor('second-factor', account, sent, browser.address);
    const started = { browser, proofs: ['password', proof] as readonly Proof[] };
    const session = account.mustChangePassword
      ? await ownPassword.replace(account, { current: '', replacement: newPassword }, (tx, replaced) =>
          sessions.start(tx, replaced, started),
        )
      : await this.#begin(account, started);
    return { kind: 'done', session };
  }

  /** Returns what the page for the second factor asks for, once more. @throws ForgeError `expired` */
  async askAgain(pending: string): Promise<SecondFactorQuestion> {
    return this.#question('second-factor', (await this.#resume(pending)).account.id);
  }

  /** Returns what a browser needs to sign in with a passkey alone; undefined if this server has none. */
  requestPasskey(): Promise<PasskeyRequest | undefined> {
    return this.#use.passkeys.requestSignIn();
  }

  /**
   * Begins a session of a user with a passkey alone, which counts as a password and a second factor.
   *
   * @throws ForgeError `forbidden` for a passkey that is not accepted, a disabled account, and one that must change its
   *   password
   */
  async startWithPasskey(answer: PasskeyAnswer, browser: Browser): Promise<StartedSession> {
    const { accounts, authentication, passkeys } = this.#use;
    const account = await accounts.findSignInById(
      await passkeys.useAlone(answer, { purpose: 'sign-in', accountId: null }),
    );
    if (account === undefined || !maySignIn(account)) throw forbidden('the account is disabled');
    if (account.mustChangePassword)
      throw forbidden('sign in with your password: an administrator wants you to replace it');
    authentication.recordSignIn(account);
    return this.#begin(account, { browser, proofs: ['passkey'] });
  }

  /** Returns what the page that confirms asks for. */
  async confirmationOf({ accountId }: SignedIn): Promise<Confirmation> {
    const account = await this.#use.accounts.findSignInById(accountId);
    const hasPassword = await this.#use.authentication.hasPassword(accountId);
    const factor =
      account?.hasSecondFactor === true
        ? await this.#question('confirm', accountId, { isAlone: !hasPassword })
        : undefined;
    return { hasPassword, factor };
  }

  /**
   * Confirms that it is the user of a session who uses the browser: with the password and the second factor of the
   * account, or without a password with a passkey whose authenticator has checked its user.
   *
   * @throws ForgeError `forbidden` for a wrong password or code, and for a viewer without a session; `unauthenticated` for
   *   a session that has ended; `too_many_attempts`, `busy`
   */
  async confirm(
    viewer: SignedIn,
    {
      password,
      address,
      ...sent
    }: SentSecondFactor & { readonly password: string; readonly address: string },
  ): Promise<StartedSession> {
    const { account, session } = await this.#own(viewer);
    if (password === '' && sent.passkey !== undefined) {
      await this.#use.passkeys.useAlone(sent.passkey, { purpose: 'confirm', accountId: account.id });
    } else {
      await this.#use.authentication.requirePassword(account, { password, address });
      if (account.hasSecondFactor) await this.#requireFactor('confirm', account, sent, address);
    }
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

  /** @throws ForgeError as `finish` */
  async #requireFactor(
    purpose: 'second-factor' | 'confirm',
    account: SignInAccount,
    { code, passkey }: SentSecondFactor,
    address: string,
  ): Promise<Proof> {
    const { authentication, passkeys } = this.#use;
    if (passkey === undefined) return authentication.requireCode(account, { code, address });
    await passkeys.use(purpose, account.id, passkey);
    authentication.recordSignIn(account);
    return 'passkey';
  }

  async #question(
    purpose: 'second-factor' | 'confirm',
    accountId: number,
    options = { isAlone: false },
  ): Promise<SecondFactorQuestion> {
    const { hasCodes } = await this.#use.secondFactors.state(accountId);
    return { hasCodes, passkey: await this.#use.passkeys.requestUse(purpose, accountId, options) };
  }

  async #pend(account: SignInState, { isRemembered }: Pick<Browser, 'isRemembered'>): Promise<PendingSignIn> {
    const { id: accountId, credentialVersion: version, mustChangePassword: needsNewPassword } = account;
    const expiresAt = currentTimeMs() + SECOND_FACTOR_LIMITS.pendingSignInMs;
    const pending = this.#pending.sign({ accountId, version, isRemembered, expiresAt });
    const asks = await this.#question('second-factor', accountId);
    return { kind: 'second-factor', pending, asks, needsNewPassword };
  }

  /** @throws ForgeError `expired` */
  async #resume(
    pending: string,
  ): Promise<{ readonly account: SignInAccount; readonly isRemembered: boolean }> {
    const claims = this.#pending.read(pending);
    const account = claims && (await this.#use.accounts.findSignInById(claims.accountId));
    if (claims === undefined || account === undefined || account.credentialVersion !== claims.version)
      throw new ForgeError({ kind: 'expired', what: 'the sign-in took too long: begin again' });
    return { account, isRemembered: claims.isRemembered };
  }

  #begin(
    account: SignInAccount,
    started: { readonly browser: Browser; readonly proofs: readonly Proof[] },
  ): Promise<StartedSession> {
    return this.#use.database.transaction((tx) => this.#use.sessions.start(tx, account, started));
  }
}
