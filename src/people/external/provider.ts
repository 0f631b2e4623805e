import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';
import { ForgeError, forbidden } from '../../base/core/failure.ts';
import { runForServer } from '../../base/core/fairness/caller.ts';
import { FairSlots } from '../../base/core/fairness/fair-slots.ts';
import { realTimeMs } from '../../base/core/time/clock.ts';
import type { OutboundClient } from '../../base/outbound/client.ts';
import { OutboundError, readWhole } from '../../base/outbound/model.ts';
import type { Addresses } from '../../http/app.ts';
import { readClaims } from './claims.ts';
import { EXTERNAL_LIMITS } from './limits.ts';
import type { ExternalUser, ProviderSettings } from './model.ts';
import { isProtected } from './protected.ts';

/** What a browser brings back from the provider must fit to these. */
export interface Challenge {
  readonly state: string;
  readonly nonce: string;
  /** of PKCE: RFC 7636 */
  readonly verifier: string;
}

interface Dependencies {
  readonly settings: ProviderSettings;
  readonly outbound: OutboundClient;
  readonly addresses: Addresses;
}

/** Loaded at the first sign-in, because it takes part of a start that most servers do not need. */
const library = () => import('openid-client');
type Library = Awaited<ReturnType<typeof library>>;

/** One provider of OpenID Connect, of which this server is a client. */
export class Provider {
  readonly settings: ProviderSettings;
  readonly #use: Dependencies;
  readonly #slots: FairSlots;
  #described: { readonly by: Promise<Configuration>; endsAt: number } | undefined;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.settings = dependencies.settings;
    this.#slots = new FairSlots({
      what: `sign-ins at ${this.settings.displayName}`,
      unitsMax: EXTERNAL_LIMITS.exchangesAtOnceMax,
      unitsPerCallerMax: EXTERNAL_LIMITS.exchangesPerCallerMax,
      unitsForSignedIn: 0,
      queueMax: EXTERNAL_LIMITS.exchangeQueueMax,
      queuePerCallerMax: EXTERNAL_LIMITS.exchangeQueuePerCallerMax,
      waitMs: EXTERNAL_LIMITS.exchangeWaitMs,
    });
  }

  /**
   * Begins a sign-in.
   *
   * @param options.asksAgain whether the provider is to ask the user again, although it knows the browser
   * @returns the address at the provider to which the browser goes
   * @throws ForgeError `busy` if the provider does not answer, `forbidden` if its answer is wrong
   */
  async start({ asksAgain }: { readonly asksAgain: boolean }): Promise<{ url: URL; challenge: Challenge }> {
    const client = await library();
    const challenge = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const parameters = {
      redirect_uri: this.#callback().href,
      scope: this.settings.scopes.join(' '),
      state: challenge.state,
      nonce: challenge.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(challenge.verifier),
      code_challenge_method: 'S256',
      // With `max_age`, a provider must say when it has authenticated the user.
      ...(asksAgain ? { prompt: 'login', max_age: '0' } : {}),
    };
    const url = await this.#asked(async () =>
      client.buildAuthorizationUrl(await this.#configuration(), parameters),
    );
    if (!isProtected(url)) throw wrongAnswer();
    return { url, challenge };
  }

  /**
   * Ends a sign-in with what a browser has brought back.
   *
   * @param query of the address to which the provider has sent the browser
   * @param options.authenticatedAfter ms; the provider must say that it authenticated the user later. 0: at any time
   * @throws ForgeError as `start`
   */
  async finish(
    query: string,
    challenge: Challenge,
    { authenticatedAfter }: { readonly authenticatedAfter: number },
  ): Promise<ExternalUser> {
    const client = await library();
    const url = this.#callback();
    url.search = query;
    return this.#slots.run(() =>
      this.#asked(async () => {
        const configuration = await this.#configuration();
        const tokens = await client.authorizationCodeGrant(configuration, url, {
          pkceCodeVerifier: challenge.verifier,
          expectedState: challenge.state,
          expectedNonce: challenge.nonce,
          idTokenExpected: true,
        });
        const proved = tokens.claims();
        if (proved === undefined) throw wrongAnswer();
        const toleranceMs = EXTERNAL_LIMITS.clockToleranceSeconds * 1000;
        const { auth_time: at } = proved;
        if (authenticatedAfter > 0 && at === undefined)
          throw forbidden('the provider did not say when it asked you: confirm in another way');
        if (at !== undefined && at * 1000 + toleranceMs < authenticatedAfter)
          throw forbidden('the provider did not ask you again: sign in again');
        const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
        const more = hasMore
          ? await client.fetchUserInfo(configuration, tokens.access_token, proved.sub)
          : {};
        return readClaims({ ...more, ...proved }, this.settings);
      }),
    );
  }

  /** The address at this server to which the provider sends browsers. It differs from provider to provider. */
  #callback(): URL {
    return new URL(`${this.#use.addresses.baseUrl}/user/oauth2/${this.settings.name}/callback`);
  }

  /** Reads how the provider describes itself, if that is not known. All sign-ins at the provider share one request. */
  #configuration(): Promise<Configuration> {
    const known = this.#described;
    if (known !== undefined && realTimeMs() < known.endsAt) return known.by;
    const by = runForServer(() => this.#discover());
    const described = { by, endsAt: realTimeMs() + EXTERNAL_LIMITS.descriptionMs };
    this.#described = described;
    by.catch(() => {
      described.endsAt = realTimeMs() + EXTERNAL_LIMITS.descriptionRetryMs;
    });
    return by;
  }

  async #discover(): Promise<Configuration> {
    const client = await library();
    const { issuer, clientId, clientSecret } = this.settings;
    const configuration = await client.discovery(
      new URL(issuer),
      clientId,
      { [client.clockTolerance]: EXTERNAL_LIMITS.clockToleranceSeconds },
      clientSecret === '' ? client.None() : bySecret(client, clientSecret),
      // `#fetch` allows plain HTTP for this machine alone.
      { [client.customFetch]: this.#fetch, execute: [client.allowInsecureRequests] },
    );
    if (configuration.serverMetadata().issuer !== issuer)
      throw forbidden(
        'the provider names itself otherwise than the settings do: an administrator can correct them',
      );
    // The library would otherwise trust the connection to the provider, and not check the signature of the ID token.
    client.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  /** Sends a request of the library by the rules of the site for other servers. */
  readonly #fetch: CustomFetch = async (address, { method, headers, body, signal }) => {
    const url = new URL(address);
    if (!isProtected(url)) throw wrongAnswer();
    if (method !== 'GET' && method !== 'POST')
      throw new Error(`no request of a sign-in has method ${method}`);
    const { authorization, ...others } = headers;
    const response = await this.#use.outbound.send({
      method,
      url,
      headers: others,
      authorization,
      ...(body === null || body === undefined ? {} : { body: Buffer.from(String(body)) }),
      deadlineMs: EXTERNAL_LIMITS.providerMs,
      bytesMax: EXTERNAL_LIMITS.providerAnswerBytesMax,
      redirectsMax: 0,
      signal,
    });
    const content = await readWhole(response);
    const { status } = response;
    if (status < 200 || status > 599) throw wrongAnswer();
    const sent = ['content-type', 'www-authenticate'].flatMap((name): [string, string][] => {
      const value = response.header(name);
      return value === undefined ? [] : [[name, value]];
    });
    return new Response(content.length === 0 ? null : new Uint8Array(content), { status, headers: sent });
  };

  /** @throws ForgeError in place of the errors of the library, which may contain secrets */
  async #asked<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw failureOf(error, this.settings);
    }
  }
}

/** Returns how a client proves that it has its secret. RFC 8414, section 2: without a list, the provider takes Basic. */
function bySecret(client: Library, secret: string): ClientAuth {
  const basic = client.ClientSecretBasic(secret);
  const post = client.ClientSecretPost(secret);
  return (server, ...rest) => {
    const takesBasic =
      server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') !== false;
    return (takesBasic ? basic : post)(server, ...rest);
  };
}

/** @throws the error itself, if it is none of the provider */
function failureOf(error: unknown, { displayName }: ProviderSettings): ForgeError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ForgeError) return cause;
    if (cause instanceof OutboundError) {
      if (cause.failure === 'too-large') return wrongAnswer(error);
      const what = `${displayName} cannot be reached at the moment (${cause.message}): try again later`;
      const retryAfterSeconds = EXTERNAL_LIMITS.descriptionRetryMs / 1000;
      return new ForgeError({ kind: 'busy', what, retryAfterSeconds }, { cause: error });
    }
  }
  if (isRefusal(error)) return forbidden(`${displayName} did not sign you in (${error.error})`);
  // The errors of the library have a code. Any other error is a fault of this server.
  if (error instanceof Error && 'code' in error) return wrongAnswer(error);
  throw error;
}

/** What a provider says when it does not sign a user in, in the address or in a response. */
function isRefusal(error: unknown): error is Error & { readonly error: string } {
  if (!(error instanceof Error) || !('error' in error) || typeof error.error !== 'string') return false;
  // RFC 6749, section 4.1.2.1: such as access_denied. Anything else could be a text of a stranger.
  return /^[a-z_]{1,40}$/.test(error.error);
}

function wrongAnswer(cause?: unknown): ForgeError {
  const what = 'the answer of the provider is not valid: sign in again';
  return new ForgeError({ kind: 'forbidden', what }, { cause });
}
