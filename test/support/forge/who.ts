import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { guardRoutes } from '../../../src/api/access/guard.ts';
import { TEST_PASSWORD_COST } from '../../../src/app/throwaway/config.ts';
import { Sealer } from '../../../src/base/core/sealing.ts';
import type { Database } from '../../../src/base/database/database.ts';
import { REPOSITORY } from '../../../src/hosting/repositories/actions.ts';
import { type App, addressesOf } from '../../../src/http/app.ts';
import { createMetrics } from '../../../src/http/metrics.ts';
import { createServer, openWire } from '../../../src/http/server.ts';
import type { Account, NewAccount } from '../../../src/people/accounts/model.ts';
import {
  type ParsedHash,
  PasswordHashing,
  type PasswordHashingOptions,
} from '../../../src/people/accounts/passwords/hash-password.ts';
import { accountRoutes } from '../../../src/people/accounts/routes.ts';
import { Accounts } from '../../../src/people/accounts/service.ts';
import type { AttemptClock } from '../../../src/people/authentication/attempts.ts';
import { authenticateRequests } from '../../../src/people/authentication/plugin.ts';
import { Authentication } from '../../../src/people/authentication/service.ts';
import { TransferTokens } from '../../../src/people/authentication/transfer-tokens.ts';
import { OAuthGrants } from '../../../src/people/oauth-grants/service.ts';
import { SecondFactors } from '../../../src/people/second-factor/service.ts';
import { Sessions } from '../../../src/people/sessions/service.ts';
import { tokenRoutes } from '../../../src/people/tokens/routes.ts';
import { Tokens } from '../../../src/people/tokens/service.ts';
import { afterTest } from '../after-test.ts';
import { openTestDatabase } from '../database/databases.ts';
import { authorizationOf, type Credentials } from '../http/http.ts';

export const ROOT = { name: 'root', password: 'correct horse' };

export interface Ask {
  readonly as?: Credentials;
  readonly json?: unknown;
  readonly headers?: Record<string, string>;
  /** address of the client */
  readonly from?: string;
}

export interface WhoAnswer {
  readonly status: number;
  readonly headers: LightMyRequestResponse['headers'];
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of wire records by name
  readonly body: any;
}

/** Counts hashed passwords, which are the cost of sign-ins, and can pause. */
export class CountingHashing extends PasswordHashing {
  verified = 0;
  /** largest number of hashes that ran or waited at the same time */
  verifyingMost = 0;
  /** hashes that run or wait */
  verifying = 0;
  /** passwords in the order of their hashes */
  readonly computed: string[] = [];
  #paused: PromiseWithResolvers<void> | undefined;

  override async verify(password: string, hash: string | null): Promise<boolean> {
    this.verified += 1;
    this.verifying += 1;
    this.verifyingMost = Math.max(this.verifyingMost, this.verifying);
    try {
      return await super.verify(password, hash);
    } finally {
      this.verifying -= 1;
    }
  }

  protected override async compute(password: string, like: ParsedHash): Promise<Buffer> {
    this.computed.push(password);
    await this.#paused?.promise;
    return super.compute(password, like);
  }

  /** Keeps the next hashes in their slots until `goOn`. */
  pause(): void {
    this.#paused = Promise.withResolvers();
  }

  goOn(): void {
    this.#paused?.resolve();
  }
}

/** Accounts, tokens and authentication behind both wires, without the rest of a forge. */
export class Who {
  readonly app: App;
  readonly database: Database;
  readonly accounts: Accounts;
  readonly tokens: Tokens;
  readonly authentication: Authentication;
  readonly hashing: CountingHashing;

  constructor(parts: Omit<Who, 'send' | 'account' | 'token'>) {
    this.app = parts.app;
    this.database = parts.database;
    this.accounts = parts.accounts;
    this.tokens = parts.tokens;
    this.authentication = parts.authentication;
    this.hashing = parts.hashing;
  }

  /** Sends to the git wire if the path starts with `/git/`, otherwise to the API. */
  async send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, ask: Ask = {}): Promise<WhoAnswer> {
    const headers: Record<string, string> = { ...ask.headers };
    if (ask.as !== undefined) headers.authorization = authorizationOf(ask.as);
    if (ask.json !== undefined) headers['content-type'] = 'application/json';
    const response = await this.app.inject({
      method,
      url: path.startsWith('/git/') ? path : `/api/v1${path}`,
      headers,
      remoteAddress: ask.from ?? '192.0.2.1',
      ...(ask.json === undefined ? {} : { payload: JSON.stringify(ask.json) }),
    });
    const { statusCode, payload } = response;
    return { status: statusCode, headers: response.headers, text: payload, body: parsed(payload) };
  }

  /** Creates an account with the password `pw of NAME`. */
  account(name: string, options: Partial<NewAccount> = {}): Promise<Account> {
    const email = `${name}@example.org`;
    return this.accounts.createUser('operator', { name, email, password: `pw of ${name}`, ...options });
  }

  async token(name: string, scopes: readonly string[] = ['all']): Promise<string> {
    const owner = await this.accounts.findByName(name);
    if (owner === undefined) throw new Error(`no account ${name}`);
    const created = await this.tokens.createFor(owner, { name: randomUUID(), scopes });
    return created.token;
  }
}

export function passwordOf(name: string): Credentials {
  return name === ROOT.name ? ROOT : { name, password: `pw of ${name}` };
}

export async function startWho(
  t: TestContext,
  options: { clock?: AttemptClock; logLevel?: string; passwordHashing?: PasswordHashingOptions } = {},
): Promise<Who> {
  const database = await openTestDatabase(t);
  const addresses = addressesOf('http://forge.example:3000');
  const hashing = new CountingHashing({ cost: TEST_PASSWORD_COST, ...options.passwordHashing });
  const accounts = new Accounts({ database, addresses, passwords: hashing });
  const tokens = new Tokens({ database, accounts, tokenSettings: { lifetimeMsMax: null } });
  const { clock } = options;
  const authentication = new Authentication({
    database,
    accounts,
    tokens,
    sessions: new Sessions({ database, accounts }),
    secondFactors: new SecondFactors({ database, accounts, addresses, sealer: new Sealer([]) }),
    oauthGrants: new OAuthGrants({ database, isEnabled: true }),
    transferTokens: new TransferTokens(Buffer.alloc(32)),
    addresses,
    ...(clock === undefined ? {} : { clock }),
  });
  const app = await createServer({
    addresses,
    logLevel: options.logLevel ?? 'silent',
    trustedProxies: [],
    allowedHosts: [],
    metrics: createMetrics(),
  });
  afterTest(t, () => app.close());
  authenticateRequests(app, authentication, addresses);
  guardRoutes(app);
  await openWire(app, 'gitea', { addresses, prefix: '/api/v1' }, (wire) => {
    accountRoutes(wire, { accounts, addresses });
    tokenRoutes(wire, { tokens, addresses });
  });
  await openWire(app, 'git', { addresses, prefix: '/git' }, (wire) => {
    wire.get('/who', { config: { action: REPOSITORY.fetch } }, async (request) => {
      const { scopes, ...viewer } = request.viewer;
      return { ...viewer, scopes: scopes.granted === 'everything' ? 'everything' : [...scopes.granted] };
    });
  });
  await accounts.ensureFirstAdministrator({ ...ROOT, email: 'root@localhost', showPassword: async () => {} });
  return new Who({ app, database, accounts, tokens, authentication, hashing });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
