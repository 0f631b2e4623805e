import type { FastifyRequest } from 'fastify';
import { credentialOf, type TransferOperation, type Viewer } from '../../api/access/viewer.ts';
import { forbidden } from '../../base/core/failure.ts';
import type { Addresses, App } from '../../http/app.ts';
import { SECOND_FACTOR } from '../second-factor/actions.ts';
import { SESSION } from '../sessions/actions.ts';
import { readSession } from '../sessions/cookie.ts';
import { OWN_PASSWORD, SIGN_IN } from './actions.ts';
import { type Credentials, readAuthorization } from './credentials.ts';
import { requireOwnForm, requireOwnSite } from './cross-site.ts';
import type { ProxyUsers } from './proxy-users.ts';
import type { Authentication } from './service.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** the transfer of large files that the route serves: it also takes the tokens that were issued for one */
    transfer?: TransferOperation;
    /** the transfers of which the route is a part: it also takes the tokens that were issued for a whole transfer */
    partOfTransfer?: TransferOperation;
  }
}

/**
 * Sets `request.viewer` for every request on `app` and below, before the body is read. Rejects wrong credentials on
 * public routes, too.
 */
export function authenticateRequests(app: App, authentication: Authentication, addresses: Addresses): void {
  const { proxyUsers } = authentication;
  app.decorateRequest('viewer', null as unknown as Viewer);
  app.addHook('onRequest', async (request) => {
    const credentials = credentialsOf(request, { addresses, proxyUsers });
    requireOwnSite(request, credentials, addresses);
    const { action, authenticatesClient } = request.routeOptions.config;
    request.viewer = await authentication.authenticate({
      // Those of a program are not those of a user.
      credentials: authenticatesClient === true ? { kind: 'none' } : credentials,
      changesPassword: action === OWN_PASSWORD.change,
      setsUpSecondFactor: SET_UP.has(action),
      sudo: sudoOf(request),
      transfer: request.routeOptions.config.transfer,
      partOfTransfer: request.routeOptions.config.partOfTransfer,
      code: codeOf(request),
      address: request.ip,
    });
    request.caller.identify(request.viewer.accountId, credentialOf(request.viewer));
  });
  app.addHook('preHandler', async (request) => {
    const { isForm, action } = request.routeOptions.config;
    if (isForm !== true || request.method !== 'POST') return;
    requireOwnForm(request, addresses);
    if (action?.needsProof === true) requireNoToken(request.viewer);
  });
  app.addHook('onClose', () => authentication.waitForWrites());
}

/**
 * Rejects a form of a page that changes credentials, if a program sends it with a token: the token would make a credential
 * that stays when the token is revoked.
 *
 * @throws ForgeError `forbidden`
 */
function requireNoToken({ credential }: Viewer): void {
  if (credential === 'token') throw forbidden('a token cannot change credentials: sign in with a browser');
}

/** What the user of an account may do that lacks a second factor which the operator requires. */
const SET_UP: ReadonlySet<unknown> = new Set([
  SECOND_FACTOR.read,
  SECOND_FACTOR.change,
  SIGN_IN.start,
  SIGN_IN.confirm,
  OWN_PASSWORD.change,
  SESSION.list,
  SESSION.end,
]);

/** Wires on which a browser that has signed in is known by its cookie. On others, programs send their credentials. */
const COOKIE_WIRES: ReadonlySet<unknown> = new Set(['web', 'gitea']);

/** What a trusted proxy says comes before a cookie, because the user may be another one by now. */
function credentialsOf(
  request: FastifyRequest,
  { addresses, proxyUsers }: { readonly addresses: Addresses; readonly proxyUsers: ProxyUsers },
): Credentials {
  const { authorization } = request.headers;
  const isBrowser = authorization === undefined && COOKIE_WIRES.has(request.routeOptions.config.wire);
  if (!isBrowser) return readAuthorization(authorization);
  const user = proxyUsers.read(request);
  if (user !== undefined) return { kind: 'proxy', user };
  const secret = readSession(request, addresses);
  return secret === undefined ? { kind: 'none' } : { kind: 'session', secret };
}

/** Headers with the code of a second factor, for clients that know only a name and a password. */
const CODE_HEADERS = ['x-gitea-otp', 'x-forgejo-otp'] as const;

/** Returns the code of a second factor, which only the forge API takes; '' without one. */
function codeOf({ headers, routeOptions }: FastifyRequest): string | undefined {
  if (routeOptions.config.wire !== 'gitea') return undefined;
  const [sent] = CODE_HEADERS.flatMap((name) => headers[name] ?? []);
  return sent ?? '';
}

/** Returns the account to act as. Only the forge API lets administrators act as other accounts. */
function sudoOf(request: FastifyRequest): string | undefined {
  if (request.routeOptions.config.wire !== 'gitea') return undefined;
  const { sudo } = request.query as { sudo?: string | string[] };
  const [parameter] = Array.isArray(sudo) ? sudo : [sudo];
  const header = request.headers.sudo;
  return parameter !== undefined && parameter !== '' ? parameter : Array.isArray(header) ? header[0] : header;
}
