import { createHmac, createSign, generateKeyPairSync, hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { afterTest } from '../../support/after-test.ts';
import { startForge, type TestForge, type TestForgeOptions } from '../../support/forge/forge.ts';
import { temporaryFolder } from '../../support/git/git.ts';
import type { Answer } from '../../support/http/http.ts';
import type { PageReader } from '../../support/http/page-reader.ts';

type Claims = Readonly<Record<string, unknown>>;

interface Resource {
  readonly status: number;
  readonly value: Claims;
}

interface Grant {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly claims: Claims;
}

/** How a provider differs from one that works. Each is a lie or a fault. */
export interface Faults {
  /** of the ID token */
  readonly claims?: Claims;
  readonly header?: Claims;
  /** signs the ID token with a key that is not in the list of keys */
  readonly signsWith?: 'none' | 'other-key' | 'client-secret';
  readonly description?: Claims;
  /** path that gets no response, or one of too many bytes */
  readonly silent?: string | undefined;
  readonly huge?: string;
  readonly userInfo?: Claims;
}

/** A small provider of OpenID Connect on this machine. Its users sign in without a page: `grant` says who they are. */
export class TestProvider {
  readonly #server: Server;
  readonly #keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  readonly #grants = new Map<string, Grant>();
  readonly #tokens = new Map<string, Claims>();
  readonly secret = 'a secret of the client';
  /** paths of the requests, in order */
  readonly asked: string[] = [];
  /** how clients have proved who they are, in order */
  readonly authenticated: ('basic' | 'post' | 'none')[] = [];
  faults: Faults = {};

  constructor() {
    this.#server = createServer((request, response) => {
      void this.#answer(request, response).catch((error: Error) =>
        response.writeHead(500).end(error.message),
      );
    });
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/realm`;
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close').catch(() => {});
  }

  /**
   * Signs a user in.
   *
   * @param location to which the server under test has sent the browser
   * @returns the path and query to which the provider sends the browser back
   */
  grant(location: string, claims: Claims): string {
    const sent = new URL(location);
    const one = (name: string) => sent.searchParams.get(name) ?? '';
    const code = randomUUID();
    this.#grants.set(code, {
      clientId: one('client_id'),
      redirectUri: one('redirect_uri'),
      challenge: one('code_challenge'),
      claims: {
        nonce: one('nonce'),
        // OpenID Connect Core, section 3.1.2.1: a request with `max_age` gets the time.
        ...(sent.searchParams.has('max_age') ? { auth_time: Math.floor(Date.now() / 1000) } : {}),
        ...claims,
      },
    });
    const back = new URL(one('redirect_uri'));
    back.search = new URLSearchParams({ code, state: one('state'), iss: this.issuer }).toString();
    return `${back.pathname}${back.search}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').replace('/realm', '');
    this.asked.push(path);
    const { silent, huge } = this.faults;
    if (silent === path) return;
    if (huge === path) {
      sendJson(response, 200, { padding: 'x'.repeat(1024 * 1024) });
      return;
    }
    const body = new URLSearchParams(await text(request));
    const found = this.#resource(path, request, body);
    sendJson(response, found.status, found.value);
  }

  #resource(path: string, request: IncomingMessage, body: URLSearchParams): Resource {
    switch (path) {
      case '/.well-known/openid-configuration':
        return { status: 200, value: this.#description() };
      case '/keys': {
        const key = this.#keys.publicKey.export({ format: 'jwk' });
        return { status: 200, value: { keys: [{ ...key, kid: 'one', use: 'sig', alg: 'RS256' }] } };
      }
      case '/token':
        return this.#redeem(request, body);
      case '/userinfo': {
        const claims = this.#tokens.get(request.headers.authorization?.replace(/^Bearer /, '') ?? '');
        if (claims === undefined) return { status: 401, value: { error: 'invalid_token' } };
        return { status: 200, value: { sub: claims.sub, ...this.faults.userInfo } };
      }
      default:
        return { status: 404, value: {} };
    }
  }

  #description(): Claims {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
      ...this.faults.description,
    };
  }

  /** Takes a code once, from the client that it is for, with the verifier of the browser that began. */
  #redeem(request: IncomingMessage, body: URLSearchParams): Resource {
    const code = body.get('code') ?? '';
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    const [scheme = '', basic = ''] = (request.headers.authorization ?? ' ').split(' ');
    const inHeader = Buffer.from(basic, 'base64').toString().split(':').map(decodeForm);
    const inBody = [body.get('client_id') ?? '', body.get('client_secret') ?? ''];
    const [clientId = '', secret] = scheme === 'Basic' ? inHeader : inBody;
    this.authenticated.push(scheme === 'Basic' ? 'basic' : secret === '' ? 'none' : 'post');
    if (secret !== (clientId === 'public' ? '' : this.secret))
      return { status: 401, value: { error: 'invalid_client' } };
    const challenge = hash('sha256', body.get('code_verifier') ?? '', 'base64url');
    const isRight =
      grant?.clientId === clientId &&
      grant.redirectUri === body.get('redirect_uri') &&
      grant.challenge === challenge;
    if (!isRight) return { status: 400, value: { error: 'invalid_grant' } };
    const token = randomUUID();
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: this.issuer, aud: clientId, iat: now, exp: now + 300, ...grant.claims };
    this.#tokens.set(token, claims);
    const id_token = this.#sign({ ...claims, ...this.faults.claims });
    return { status: 200, value: { access_token: token, token_type: 'Bearer', id_token } };
  }

  #sign(claims: Claims): string {
    const { signsWith, header } = this.faults;
    const alg = signsWith === 'none' ? 'none' : signsWith === 'client-secret' ? 'HS256' : 'RS256';
    const parts = [{ alg, kid: 'one', ...header }, claims];
    const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    if (signsWith === 'none') return `${signed}.`;
    if (signsWith === 'client-secret')
      return `${signed}.${createHmac('sha256', this.secret).update(signed).digest('base64url')}`;
    const { privateKey } =
      signsWith === 'other-key' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : this.#keys;
    return `${signed}.${createSign('sha256').update(signed).sign(privateKey).toString('base64url')}`;
  }
}

/** RFC 6749, section 2.3.1 */
function decodeForm(part: string): string {
  return decodeURIComponent(part.replaceAll('+', ' '));
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

export async function startProvider(t: TestContext): Promise<TestProvider> {
  const provider = new TestProvider();
  await provider.start();
  afterTest(t, () => provider.stop());
  return provider;
}

/** The settings of a provider: of its name `corp`, unless they say otherwise. */
export function providerSettings(
  provider: TestProvider,
  settings: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return {
    name: 'corp',
    displayName: 'The Corp',
    issuer: provider.issuer,
    clientId: 'quire',
    clientSecret: provider.secret,
    ...settings,
  };
}

/** Starts a forge whose users sign in at these providers. */
export async function startForgeWith(
  t: TestContext,
  providers: readonly Readonly<Record<string, unknown>>[],
  { settings = {}, ...options }: TestForgeOptions = {},
): Promise<TestForge> {
  const path = join(await temporaryFolder(t), 'providers.json');
  writeFileSync(path, JSON.stringify(providers));
  return startForge(t, {
    ...options,
    settings: { signInProviders: path, outboundAllow: '127.0.0.1', ...settings },
  });
}

/** Starts a provider, and a forge whose users sign in there. */
export async function startBoth(
  t: TestContext,
  settings: Readonly<Record<string, unknown>> = {},
  options: TestForgeOptions = {},
): Promise<{ readonly provider: TestProvider; readonly forge: TestForge }> {
  const provider = await startProvider(t);
  return { provider, forge: await startForgeWith(t, [providerSettings(provider, settings)], options) };
}

/** Goes to the provider. @returns where it is */
export async function begin(reader: PageReader, path = '/user/oauth2/corp'): Promise<string> {
  const answer = await reader.get(path);
  if (answer.status !== 303) throw new Error(`cannot begin: ${answer.status} ${answer.text}`);
  return answer.headers.get('location') ?? '';
}

/** Signs in at the provider, and returns what the forge says to the browser that comes back. */
export async function signInAt(
  provider: TestProvider,
  reader: PageReader,
  claims: Claims,
  path?: string,
): Promise<Answer> {
  return reader.get(provider.grant(await begin(reader, path), claims));
}
