import {
  ANONYMOUS,
  type CredentialSource,
  deployKeyViewer,
  type EarlierViewer,
  isSignedIn,
  type SignedIn,
  type TransferOperation,
  type Viewer,
  viewerOf,
} from '../../api/access/viewer.ts';
import { ForgeError, forbidden, isFailure, notFound } from '../../base/core/failure.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database } from '../../base/database/database.ts';
import type { Addresses } from '../../http/app.ts';
import { maySignIn, type SignInAccount, type SignInState } from '../accounts/model.ts';
import type { Accounts } from '../accounts/service.ts';
import type { OAuthGrants } from '../oauth-grants/service.ts';
import type { SecondFactorSettings, UsedCode } from '../second-factor/model.ts';
import type { SecondFactors } from '../second-factor/service.ts';
import type { SessionBearer } from '../sessions/model.ts';
import type { Sessions } from '../sessions/service.ts';
import type { Tokens } from '../tokens/service.ts';
import type { AttemptClock } from './attempts.ts';
import { type Credentials, wrongCredentials } from './credentials.ts';
import {
  grantOf,
  oauthGrantOf,
  passwordGrantOf,
  proxyGrantOf,
  type SshCredential,
  sessionGrantOf,
  sshGrantOf,
} from './grants.ts';
import { LastUses } from './last-uses.ts';
import { ProxyUsers } from './proxy-users.ts';
import { needsMore, requireSetUp } from './required-factor.ts';
import { SecretChecks } from './secret-checks.ts';
import { PASSWORDS_ONLY, type SignInSettings } from './settings.ts';
import { SignInLog } from './sign-in-log.ts';
import { actAs, requireMayActAs } from './sudo.ts';
import { isPartOf, isTransferToken, type TransferTokens } from './transfer-tokens.ts';
import { requireMaySignIn, requireNotExpired, requireVersion } from './usable.ts';

/** Passwords that clients send when the user name is a token. */
const NO_PASSWORD: ReadonlySet<string> = new Set(['', 'x-oauth-basic']);

/** The parts of a request that identify the caller. */
interface AuthenticationInput {
  readonly credentials: Credentials;
  /** whether the request changes the caller's own password */
  readonly changesPassword: boolean;
  /** whether the request is one with which a user sets up a second factor, or signs out; default: false */
  readonly setsUpSecondFactor?: boolean | undefined;
  /** name of the account that an administrator acts as; absent on wires without this feature */
  readonly sudo?: string | undefined;
  /** the transfer of large files that the route serves; absent on routes that take no token for one */
  readonly transfer?: TransferOperation | undefined;
  /** the same for tokens for a whole transfer */
  readonly partOfTransfer?: TransferOperation | undefined;
  /** code of a second factor, '' without one; absent on wires that take none */
  readonly code?: string | undefined;
  /** address of the client, as reported by trusted proxies */
  readonly address: string;
}

type SetUpInput = Pick<AuthenticationInput, 'setsUpSecondFactor'>;

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  readonly secondFactors: SecondFactors;
  /** absent: no account needs a second factor */
  readonly secondFactorSettings?: SecondFactorSettings;
  readonly oauthGrants: OAuthGrants;
  readonly transferTokens: TransferTokens;
  readonly addresses: Addresses;
  readonly signInSettings?: SignInSettings;
  readonly clock?: AttemptClock;
}

/** Finds the viewer of a request and the scopes of its credential, in the same way on every wire. */
export class Authentication {
  readonly settings: SignInSettings;
  readonly proxyUsers: ProxyUsers;
  readonly #use: Dependencies;
  readonly #checks: SecretChecks;
  readonly #log: SignInLog;
  readonly #lastUses: LastUses;
  #findKeyOwner: (keyId: number) => Promise<number | undefined> = async () => undefined;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const { database, accounts, clock, signInSettings: settings = PASSWORDS_ONLY } = dependencies;
    this.settings = settings;
    this.proxyUsers = new ProxyUsers({ accounts, settings: settings.proxy });
    this.#log = new SignInLog({ database, now: () => clock?.now() ?? currentTimeMs() });
    this.#checks = new SecretChecks({ ...dependencies, settings, log: this.#log, clock });
    this.#lastUses = new LastUses(dependencies);
  }

  /**
   * Returns the viewer of a request; `ANONYMOUS` without credentials. Disabling an account takes effect at once,
   * because its row is read each time, or known to be unchanged.
   *
   * @throws ForgeError `unauthenticated`; `forbidden` for a disabled account, for one that must change its password
   *   first, or for acting as another account without the right; `not_found` if that account does not exist;
   *   `too_many_attempts`, `busy`
   */
  async authenticate(input: AuthenticationInput): Promise<Viewer> {
    const found = await this.#viewerOf(input);
    const viewer = input.sudo ? await this.#actAs(found, input.sudo) : found;
    if (isSignedIn(found) && found.transfer === undefined) this.#log.accepted(found, input.address);
    return viewer;
  }

  /** Waits for background writes. */
  async waitForWrites(): Promise<void> {
    await Promise.all([
      this.#lastUses.waitForWrites(),
      this.#use.sessions.waitForWrites(),
      this.#use.oauthGrants.waitForWrites(),
      this.#log.waitForWrites(),
    ]);
  }

  /**
   * Requires the password of an account, in addition to a credential. Wrong ones count as failed sign-ins.
   *
   * @throws ForgeError `forbidden`, `too_many_attempts`, `busy`
   */
  async requirePassword(
    account: SignInAccount,
    sent: { readonly password: string; readonly address: string },
  ): Promise<void> {
    if (!(await this.#checks.isPassword(account, { login: account.name, ...sent })))
      throw forbidden('the current password is wrong');
  }

  /** Requires a code of an account, and uses it. @throws ForgeError as `SecretChecks.requireCode` */
  async requireCode(
    account: SignInAccount,
    sent: { readonly code: string; readonly address: string },
  ): Promise<UsedCode> {
    const used = await this.#checks.requireCode(account, sent);
    this.#lastUses.recordSignIn(account);
    return used;
  }

  /** Records a sign-in that ends with something other than a password or a code. */
  recordSignIn(account: SignInAccount): void {
    this.#lastUses.recordSignIn(account);
  }

  /** Whether a user can sign in with a password. */
  async hasPassword(accountId: number): Promise<boolean> {
    if (!this.settings.takesPasswords) return false;
    const account = await this.#use.accounts.findSignInById(accountId);
    return account !== undefined && account.passwordHash !== null;
  }

  async #viewerOf(input: AuthenticationInput): Promise<Viewer> {
    const { credentials } = input;
    switch (credentials.kind) {
      case 'none':
        return ANONYMOUS;
      case 'token': {
        const { token } = credentials;
        if (isTransferToken(token)) return this.#byTransferToken(token, input);
        return (await this.#byToken(token, input)) ?? reject();
      }
      case 'session':
        return this.#bySession(credentials.secret, input);
      case 'proxy': {
        const account = await this.proxyUsers.accountOf(credentials.user);
        this.#requireUsable(account, input);
        return viewerOf(account, proxyGrantOf(account));
      }
      case 'basic': {
        const { login, password } = credentials;
        const byToken = await this.#byToken(NO_PASSWORD.has(password) ? login : password, input);
        return byToken ?? this.#byPassword(login, password, input);
      }
    }
  }

  /** Finds the owner of a token. Does not count wrong tokens, because no one can guess 160 random bits. */
  async #byToken(token: string, input: AuthenticationInput): Promise<SignedIn | undefined> {
    if (this.#use.oauthGrants.isAccessToken(token)) return this.#byOAuthToken(token, input);
    const bearer = await this.#use.tokens.findBearer(token);
    if (bearer === undefined) return undefined;
    requireNotExpired(bearer);
    this.#requireUsable(bearer.account, input);
    this.#lastUses.recordToken(bearer);
    return viewerOf(bearer.account, grantOf(bearer));
  }

  /** Finds the user who has granted an application its access token. */
  async #byOAuthToken(token: string, input: AuthenticationInput): Promise<SignedIn | undefined> {
    const bearer = await this.#use.oauthGrants.findBearer(token);
    if (bearer === undefined) return undefined;
    this.#requireUsable(bearer.account, input);
    this.#use.oauthGrants.recordUsed(bearer);
    return viewerOf(bearer.account, oauthGrantOf(bearer));
  }

  /**
   * Finds the user of a browser. A session that has ended is none, and so is one of an account that must change its
   * password: its user signs in again, and chooses one.
   */
  async #bySession(secret: string, input: AuthenticationInput): Promise<Viewer> {
    const found = await this.#use.sessions.find(secret);
    if (found === undefined || !this.#isWelcome(found.account)) return ANONYMOUS;
    const { address } = input;
    this.#requireSetUpFor(found, input);
    this.#use.sessions.recordSeen(found.session, address);
    return viewerOf(found.account, sessionGrantOf(found));
  }

  /** Reads the credential behind a token for a transfer again, so that a revoked one has no effect any more. */
  async #byTransferToken(token: string, input: AuthenticationInput): Promise<Viewer> {
    const claims = this.#use.transferTokens.read(token);
    if (claims === undefined || !isPartOf(claims.transfer, input)) throw wrongCredentials();
    const { transfer } = claims;
    if ('deployKeyId' in claims) return { ...deployKeyViewer(claims.deployKeyId), transfer };
    return { ...(await this.#again(claims, input)), transfer };
  }

  /** Finds the viewer of a credential that was accepted before. */
  async #again(
    { accountId, source }: EarlierViewer,
    input: Pick<AuthenticationInput, 'changesPassword'>,
  ): Promise<SignedIn> {
    if (source.kind === 'token') {
      const bearer = await this.#use.tokens.findBearerById(source.tokenId);
      if (bearer?.account.id !== accountId) throw wrongCredentials();
      requireNotExpired(bearer);
      this.#requireUsable(bearer.account, input);
      requireVersion(bearer.account, source);
      return viewerOf(bearer.account, grantOf(bearer));
    }
    if (source.kind === 'session') {
      const found = await this.#use.sessions.findById(source.sessionId);
      if (found?.account.id !== accountId || !this.#isWelcome(found.account)) throw wrongCredentials();
      requireVersion(found.account, source);
      this.#requireSetUpFor(found, {});
      return viewerOf(found.account, sessionGrantOf(found));
    }
    if (source.kind === 'oauth') {
      const bearer = await this.#use.oauthGrants.findBearerByGrant(source.grantId);
      if (bearer?.account.id !== accountId) throw wrongCredentials();
      this.#requireUsable(bearer.account, input);
      requireVersion(bearer.account, source);
      return viewerOf(bearer.account, oauthGrantOf({ ...bearer, scopes: source.scopes }));
    }
    const account = await this.#use.accounts.findSignInById(accountId);
    if (account === undefined) throw wrongCredentials();
    if (!(await this.#isStillThere(accountId, source))) throw wrongCredentials();
    if (source.kind === 'sudo') {
      const viewer = actAs(await this.#again(source.by, input), account);
      requireVersion(account, source);
      return viewer;
    }
    this.#requireUsable(account, input);
    requireVersion(account, source);
    if (source.kind === 'proxy') return viewerOf(account, proxyGrantOf(account));
    if (source.kind !== 'password') return viewerOf(account, sshGrantOf(source));
    this.#requireSetUp(account, {});
    return viewerOf(account, passwordGrantOf(account));
  }

  /**
   * Returns the viewer of a client that has proved over SSH to possess a key or a certificate of an account.
   *
   * @throws ForgeError `unauthenticated` if the account or the key is gone; `forbidden` as `authenticate`
   */
  async viewerOverSsh(accountId: number, by: SshCredential, address: string): Promise<SignedIn> {
    const account = await this.#use.accounts.findSignInById(accountId);
    if (account === undefined || !(await this.#isStillThere(accountId, by))) throw wrongCredentials();
    this.#requireUsable(account, { changesPassword: false });
    const viewer = viewerOf(account, sshGrantOf({ ...by, version: account.credentialVersion }));
    this.#log.accepted(viewer, address);
    return viewer;
  }

  /** Whether a key still belongs to the account, and a certificate has not expired. */
  async #isStillThere(accountId: number, by: SshCredential | CredentialSource): Promise<boolean> {
    if (by.kind === 'ssh-key') return (await this.#findKeyOwner(by.keyId)) === accountId;
    return by.kind !== 'certificate' || currentTimeMs() < by.expiresAt;
  }

  /** Registers the function that finds the account of an SSH key, which a later feature stores. */
  registerKeyOwners(find: (keyId: number) => Promise<number | undefined>): void {
    this.#findKeyOwner = find;
  }

  /**
   * Reads the account and the credential of an earlier request again, for work that goes on after it.
   *
   * @throws ForgeError `unauthenticated` if the account or the credential is gone, or the account has a new password or
   *   was disabled since; `forbidden` as `authenticate`
   */
  viewerAgain(earlier: EarlierViewer): Promise<SignedIn> {
    return this.#again(earlier, { changesPassword: false });
  }

  async #byPassword(login: string, password: string, input: AuthenticationInput): Promise<SignedIn> {
    const account = await this.checkPassword({ login, password, address: input.address });
    this.#requireUsable(account, input);
    this.#requireSetUp(account, input);
    if (account.hasSecondFactor) await this.#requireCodeOf(account, input);
    return viewerOf(account, passwordGrantOf(account));
  }

  /** Requires a code next to a password that was right. @throws ForgeError `unauthenticated` */
  async #requireCodeOf(account: SignInAccount, { code, address }: AuthenticationInput): Promise<void> {
    if (code === undefined) throw needsMore('use a token or an app password instead of your password');
    if (code === '') throw needsMore('send a code in the header X-Gitea-OTP, or use a token');
    await this.requireCode(account, { code, address }).catch((error: unknown) => {
      throw isFailure(error, 'forbidden') ? needsMore(error.failure.what) : error;
    });
  }

  /**
   * Checks a name or e-mail address and a password, whatever else the account needs to sign in.
   *
   * @throws ForgeError `unauthenticated`; `forbidden` for a disabled account; `too_many_attempts`, `busy`
   */
  async checkPassword(attempt: {
    readonly login: string;
    readonly password: string;
    readonly address: string;
  }): Promise<SignInAccount> {
    const account = await this.#use.accounts.findSignIn(attempt.login);
    if (!(await this.#checks.isPassword(account, attempt)) || account === undefined) throw wrongCredentials();
    requireMaySignIn(account);
    if (!account.hasSecondFactor) this.#lastUses.recordSignIn(account);
    return account;
  }

  /**
   * Requires an account that may act as soon as it has signed in elsewhere.
   *
   * @throws ForgeError `forbidden` for a disabled account, and for one that must change its password first
   */
  requireUsable(account: SignInState): void {
    this.#requireUsable(account, { changesPassword: false });
  }

  /** @throws ForgeError as `requireMaySignIn`, and `forbidden` for an account that must change its password first */
  #requireUsable(
    account: SignInState,
    { changesPassword }: Pick<AuthenticationInput, 'changesPassword'>,
  ): void {
    requireMaySignIn(account);
    if (!this.#needsNewPassword(account) || changesPassword) return;
    const page = `${this.#use.addresses.baseUrl}/api/swagger`;
    // Clients of this API family match on the first sentence.
    const what = `You must change your password. Change it at: ${page} (PUT /api/v1/user/password)`;
    throw new ForgeError({ kind: 'forbidden', what, reason: 'password' });
  }

  /** A provider at which the user has signed in decides itself how. @throws ForgeError as `requireSetUp` */
  #requireSetUpFor({ session, account }: SessionBearer, input: SetUpInput): void {
    if (!session.proofs.includes('external')) this.#requireSetUp(account, input);
  }

  /** @throws ForgeError as `requireSetUp` */
  #requireSetUp(account: SignInState, { setsUpSecondFactor = false }: SetUpInput): void {
    if (!setsUpSecondFactor) requireSetUp(account, this.#use);
  }

  /** Whether an account may go on with its sessions. */
  #isWelcome(account: SignInState): boolean {
    return account.kind === 'user' && maySignIn(account) && !this.#needsNewPassword(account);
  }

  /** Where no password signs in, no one can replace one. */
  #needsNewPassword({ mustChangePassword }: SignInState): boolean {
    return mustChangePassword && this.settings.takesPasswords;
  }

  /** Acts as another account, with the scopes of the credential. */
  async #actAs(viewer: Viewer, name: string): Promise<Viewer> {
    requireMayActAs(viewer);
    const named = await this.#use.accounts.findByName(name);
    const isHidden = viewer.publicOnly && named?.visibility !== 'public';
    const target =
      named === undefined || isHidden ? undefined : await this.#use.accounts.findSignInById(named.id);
    if (target === undefined) throw notFound('account');
    return actAs(viewer, target);
  }
}

function reject(): never {
  throw wrongCredentials();
}
