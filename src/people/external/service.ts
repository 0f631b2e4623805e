import { isSignedIn, type SignedIn, type Viewer } from '../../api/access/viewer.ts';
import { conflict, ForgeError, forbidden, notFound, undefinedIf } from '../../base/core/failure.ts';
import { digestOfSecret, generateOpaqueSecret, isOpaqueSecret } from '../../base/core/secrets.ts';
import { currentTimeMs, realTimeMs } from '../../base/core/time/clock.ts';
import { type Database, isUniqueViolation, type Tx } from '../../base/database/database.ts';
import type { OutboundClient } from '../../base/outbound/client.ts';
import type { Addresses } from '../../http/app.ts';
import { followAdministration } from '../accounts/changes.ts';
import { insertUserOfOthers } from '../accounts/create-account.ts';
import { FIRST_CREDENTIAL_VERSION, type SignInState } from '../accounts/model.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Authentication } from '../authentication/service.ts';
import type { Browser, StartedSession } from '../sessions/model.ts';
import type { Sessions } from '../sessions/service.ts';
import type { Teams } from '../teams/service.ts';
import { type Identities, requireBrowser } from './identities.ts';
import { EXTERNAL_LIMITS } from './limits.ts';
import type { ExternalUser, Identity, Newcomer, ProviderSettings } from './model.ts';
import { accountNameOf, nameCandidates } from './names.ts';
import { Provider } from './provider.ts';
import { type BegunSignIn, endOf, SignInCookies } from './sign-in-cookie.ts';
import { deleteNewcomer, findNewcomer, insertAnswer, replaceNewcomer } from './store.ts';

interface Dependencies {
  readonly database: Database;
  readonly outbound: OutboundClient;
  readonly addresses: Addresses;
  /** of this server */
  readonly secret: Uint8Array;
  readonly accounts: Accounts;
  readonly authentication: Authentication;
  readonly sessions: Sessions;
  readonly teams: Teams;
  readonly identities: Identities;
  readonly signInProviders: readonly ProviderSettings[];
}

/** How a sign-in at a provider ends. */
export type ExternalStep =
  | { readonly kind: 'done'; readonly session: StartedSession; readonly redirectTo: string }
  /** No account belongs to the user yet. The browser keeps the secret, with which the user chooses one. */
  | { readonly kind: 'newcomer'; readonly secret: string };

/** A browser that comes back from a provider. */
interface Return {
  readonly query: string;
  /** '' without one */
  readonly cookie: string;
  readonly browser: Browser;
  readonly viewer: Viewer;
}

/** Signs browsers in at providers of OpenID Connect. */
export class ExternalSignIn {
  readonly #use: Dependencies;
  readonly #providers: ReadonlyMap<string, Provider>;
  readonly #cookies: SignInCookies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const { signInProviders, secret } = dependencies;
    this.#providers = new Map(
      signInProviders.map((settings) => [settings.name, new Provider({ ...dependencies, settings })]),
    );
    this.#cookies = new SignInCookies(secret);
  }

  get providers(): readonly ProviderSettings[] {
    return this.#use.signInProviders;
  }

  /**
   * Begins a sign-in at a provider. A user who has signed in already confirms who they are, so the provider asks again.
   *
   * @returns where the browser goes, and the cookie that it keeps
   * @throws ForgeError `not_found`; `busy` if the provider cannot be reached, `forbidden` if its answer is wrong
   */
  async start(
    name: string,
    { redirectTo, viewer }: { readonly redirectTo: string; readonly viewer: Viewer },
  ): Promise<{ readonly url: URL; readonly cookie: string }> {
    const provider = this.#provider(name);
    const asksAgain = isSignedIn(viewer);
    const begun = {
      provider: name,
      redirectTo: redirectTo.length > EXTERNAL_LIMITS.redirectCharsMax ? '' : redirectTo,
      startedAt: currentTimeMs(),
      askedAt: asksAgain ? realTimeMs() : 0,
    };
    const { url, challenge } = await provider.start({ asksAgain });
    return { url, cookie: this.#cookies.seal({ ...begun, ...challenge }) };
  }

  /**
   * Ends a sign-in at a provider.
   *
   * @throws ForgeError `not_found`; `bad_request` if this browser has not begun it, or it has ended; `forbidden` if the
   *   provider denies it, its answer is wrong, or the user may not sign in; `busy`, `conflict`
   */
  async finish(name: string, { query, cookie, browser, viewer }: Return): Promise<ExternalStep> {
    const provider = this.#provider(name);
    const begun = this.#cookies.open(cookie);
    if (begun === undefined || begun.provider !== name) throw startAgain();
    const user = await provider.finish(query, begun, { authenticatedAfter: begun.askedAt });
    requireGroup(user, provider.settings);
    return this.#enter(provider.settings, user, { begun, browser, viewer }).catch(rethrowRace);
  }

  async #enter(
    settings: ProviderSettings,
    user: ExternalUser,
    { begun, browser, viewer }: { begun: BegunSignIn; browser: Browser; viewer: Viewer },
  ): Promise<ExternalStep> {
    const { redirectTo } = begun;
    const done = (session: StartedSession) => ({ kind: 'done', session, redirectTo }) as const;
    const { identities } = this.#use;
    const identity = await identities.find(user);
    if (identity !== undefined)
      return done(await this.#signIn(identity, settings, user, { begun, browser, viewer }));
    const start = (tx: Tx, account: SignInState) => this.#start(tx, account, settings, user, browser);

    const known = user.email === '' ? undefined : await this.#use.accounts.findSignIn(user.email);
    // A provider may give the address of a user to another one later. The account belongs to the first.
    if (known !== undefined && settings.linkByEmail && !(await identities.hasAny(known.id, user.issuer))) {
      this.#use.authentication.requireUsable(known);
      return done(
        await this.#use.database.transaction(async (tx) => {
          await identities.add(tx, known.id, user);
          await endOnce(tx, begun);
          return start(tx, known);
        }),
      );
    }
    const isCreated = settings.createAccounts === 'automatic' && known === undefined && !isSignedIn(viewer);
    const free = isCreated ? await this.#freeName(user) : undefined;
    if (free !== undefined) {
      const session = await this.#create(settings, user, {
        name: free,
        email: user.email,
        browser,
        first: (tx) => endOnce(tx, begun),
      });
      return done(session);
    }
    return {
      kind: 'newcomer',
      secret: await this.#remember({ provider: settings.name, user, redirectTo }, begun),
    };
  }

  /** Signs the user of an identity in, or confirms who uses the browser of the same user. */
  async #signIn(
    identity: Identity,
    settings: ProviderSettings,
    user: ExternalUser,
    { begun, browser, viewer }: { begun: BegunSignIn; browser: Browser; viewer: Viewer },
  ): Promise<StartedSession> {
    const { accounts, authentication, identities, sessions, database } = this.#use;
    const account = await accounts.findSignInById(identity.accountId);
    if (account === undefined) throw conflict('the account was deleted at the same time');
    authentication.requireUsable(account);
    const sessionId = viewer.source?.kind === 'session' ? viewer.source.sessionId : undefined;
    const current = sessionId === undefined ? undefined : await sessions.findById(sessionId);
    const isSame = current?.account.id === account.id;
    const started = await database.transaction(async (tx) => {
      await endOnce(tx, begun);
      await identities.recordUse(tx, identity, user);
      if (!isSame) return this.#start(tx, account, settings, user, browser);
      await this.#follow(tx, account, settings, user);
      return undefined;
    });
    if (current !== undefined && isSame) return sessions.prove(current.session);
    if (started === undefined) throw startAgain();
    if (current !== undefined && isSignedIn(viewer))
      await sessions.end(viewer, current.session.id).catch(undefinedIf('not_found'));
    return started;
  }

  /** Begins a session with the rights that the provider gives the user. */
  async #start(
    tx: Tx,
    account: SignInState,
    settings: ProviderSettings,
    user: ExternalUser,
    browser: Browser,
  ): Promise<StartedSession> {
    await this.#follow(tx, account, settings, user);
    return this.#use.sessions.start(tx, account, { browser, proofs: ['external'] });
  }

  /** Changes teams, and the right to administer the site, as the groups of the user say. */
  async #follow(
    tx: Tx,
    { id, isAdmin }: Pick<SignInState, 'id' | 'isAdmin'>,
    { groupTeams, allowOwners, adminGroup }: ProviderSettings,
    { groups }: ExternalUser,
  ): Promise<void> {
    const wanted = new Set(groups);
    const teams = new Map<string, { organization: string; name: string; isWanted: boolean }>();
    for (const { group, organization, team: name } of groupTeams) {
      const key = `${organization}/${name}`.toLowerCase();
      const isWanted = wanted.has(group) || teams.get(key)?.isWanted === true;
      teams.set(key, { organization, name, isWanted });
    }
    await this.#use.teams.members.follow(tx, id, [...teams.values()], { allowsOwners: allowOwners });
    const administers = wanted.has(adminGroup);
    if (adminGroup !== '' && administers !== isAdmin)
      await followAdministration(tx, { id, isAdmin: administers }, this.#use.accounts);
  }

  async #create(
    settings: ProviderSettings,
    user: ExternalUser,
    {
      name,
      email,
      browser,
      first,
    }: { name: string; email: string; browser: Browser; first: (tx: Tx) => Promise<void> },
  ): Promise<StartedSession> {
    return this.#use.database.transaction(async (tx) => {
      await first(tx);
      const account = await insertUserOfOthers(tx, { name, email, fullName: user.fullName });
      await this.#use.identities.add(tx, account.id, user);
      return this.#start(
        tx,
        {
          ...account,
          credentialVersion: FIRST_CREDENTIAL_VERSION,
          hasSecondFactor: false,
          needsSecondFactor: false,
        },
        settings,
        user,
        browser,
      );
    });
  }

  async #remember(newcomer: Newcomer, begun: BegunSignIn): Promise<string> {
    const secret = generateOpaqueSecret();
    const now = currentTimeMs();
    const row = { digest: digestOfSecret(secret), now, endsAt: now + EXTERNAL_LIMITS.newcomerMs };
    await this.#use.database.transaction(async (tx) => {
      await endOnce(tx, begun);
      await replaceNewcomer(tx, newcomer, row);
    });
    return secret;
  }

  #freeName({ name, email }: ExternalUser): Promise<string | undefined> {
    const wanted = accountNameOf(name) ?? accountNameOf(email);
    const candidates = wanted === undefined ? [] : nameCandidates(wanted, EXTERNAL_LIMITS.nameSuffixMax);
    return this.#use.accounts.ofOthers.findFreeName(candidates);
  }

  /**
   * Finds the newcomer of a browser.
   *
   * @returns undefined if there is none any more
   */
  async findNewcomer(secret: string): Promise<Newcomer | undefined> {
    if (!isOpaqueSecret(secret)) return undefined;
    const found = await findNewcomer(this.#use.database.reader, digestOfSecret(secret), currentTimeMs());
    return found !== undefined && this.#providers.has(found.provider) ? found : undefined;
  }

  /** Returns a name that the newcomer can have; '' if none follows from what the provider says. */
  async proposeName({ user }: Newcomer): Promise<string> {
    return (await this.#freeName(user)) ?? '';
  }

  /**
   * Creates an account of a newcomer, and signs the browser in.
   *
   * @throws ForgeError `expired` without a newcomer; `forbidden` if newcomers get no accounts; `invalid` for an unusable
   *   name, `already_exists` for one that is taken
   */
  async create(
    secret: string,
    name: string,
    browser: Browser,
  ): Promise<{ readonly session: StartedSession; readonly redirectTo: string }> {
    const { user, provider, redirectTo } = await this.#newcomer(secret);
    const { settings } = this.#provider(provider);
    if (settings.createAccounts === 'never')
      throw forbidden('an administrator creates accounts on this server: ask for one');
    if ((await this.#use.accounts.ofOthers.findFreeName([name])) === undefined) throw taken(name);
    const isEmailTaken = user.email !== '' && (await this.#use.accounts.findSignIn(user.email)) !== undefined;
    const session = await this.#create(settings, user, {
      name,
      email: isEmailTaken ? '' : user.email,
      browser,
      first: (tx) => requireNewcomer(tx, secret),
    }).catch(rethrowRace);
    return { session, redirectTo };
  }

  /**
   * Links a newcomer to the account of the viewer, with the rights that the provider gives.
   *
   * @throws ForgeError `expired` without a newcomer; `forbidden` for a program, and at the limit; `conflict`
   */
  async link(viewer: SignedIn, secret: string): Promise<{ readonly redirectTo: string }> {
    requireBrowser(viewer);
    const { user, provider, redirectTo } = await this.#newcomer(secret);
    const { settings } = this.#provider(provider);
    await this.#use.database
      .transaction(async (tx) => {
        await requireNewcomer(tx, secret);
        await this.#use.identities.add(tx, viewer.accountId, user);
        await this.#follow(tx, { id: viewer.accountId, isAdmin: viewer.isAdmin }, settings, user);
      })
      .catch(rethrowRace);
    return { redirectTo };
  }

  async #newcomer(secret: string): Promise<Newcomer> {
    const found = await this.findNewcomer(secret);
    if (found === undefined) throw ended();
    return found;
  }

  #provider(name: string): Provider {
    const provider = this.#providers.get(name);
    if (provider === undefined) throw notFound('sign-in provider');
    return provider;
  }
}

/** @throws ForgeError `forbidden` for a user who is in none of the required groups */
function requireGroup({ groups }: ExternalUser, { requiredGroups, displayName }: ProviderSettings): void {
  if (requiredGroups.length === 0 || requiredGroups.some((group) => groups.includes(group))) return;
  throw forbidden(
    `your account at ${displayName} may not sign in here: it is in none of the required groups`,
  );
}

/** Records that a sign-in has ended. @throws ForgeError `bad_request` if it had ended before */
async function endOnce(tx: Tx, begun: BegunSignIn): Promise<void> {
  const answer = { digest: digestOfSecret(begun.state), endsAt: endOf(begun) };
  if (!(await insertAnswer(tx, answer, currentTimeMs()))) throw startAgain();
}

async function requireNewcomer(tx: Tx, secret: string): Promise<void> {
  if (!(await deleteNewcomer(tx, digestOfSecret(secret)))) throw ended();
}

function startAgain(): ForgeError {
  const what = 'this browser has not begun the sign-in, or the sign-in has ended: start again';
  return new ForgeError({ kind: 'bad_request', what });
}

function ended(): ForgeError {
  return new ForgeError({ kind: 'expired', what: 'the sign-in has ended: start again' });
}

function taken(name: string): ForgeError {
  return new ForgeError({ kind: 'already_exists', what: `the name ${name} is taken: choose another` });
}

/** Two sign-ins of one user, or two newcomers of one name, may end at the same time. */
function rethrowRace(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw new ForgeError(
    {
      kind: 'conflict',
      what: 'the account was linked, or the name was taken, at the same time: sign in again',
    },
    { cause: error },
  );
}
