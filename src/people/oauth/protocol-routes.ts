import type { FastifyReply, FastifyRequest } from 'fastify';
import { SCOPE_CATEGORIES } from '../../api/access/scopes.ts';
import { isSignedIn } from '../../api/access/viewer.ts';
import { ForgeError, forbidden } from '../../base/core/failure.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Addresses, App } from '../../http/app.ts';
import { OAUTH_GRANT_LIMITS } from '../oauth-grants/limits.ts';
import type { IssuedTokens } from '../oauth-grants/model.ts';
import { IDENTITY_SCOPES, opensIdentity } from '../oauth-grants/scopes.ts';
import { type OAuthGrants, oauthFailure } from '../oauth-grants/service.ts';
import { OAUTH_PROTOCOL } from './actions.ts';
import { clientOf } from './client-credentials.ts';
import type { Identities } from './identity.ts';
import { ID_TOKEN_ALGORITHM, type OAuthKeys } from './keys.ts';
import type { OAuthApplication } from './model.ts';
import { OAuthParameters } from './parameters.ts';
import type { OAuthApplications } from './service.ts';

interface Dependencies {
  readonly oauthApplications: OAuthApplications;
  readonly oauthGrants: OAuthGrants;
  readonly oauthKeys: OAuthKeys;
  readonly identities: Identities;
  readonly addresses: Addresses;
}

/** Where clients find each part, below the base URL. */
export const OAUTH_PATHS = {
  authorize: '/login/oauth/authorize',
  token: '/login/oauth/access_token',
  user: '/login/oauth/userinfo',
  keys: '/login/oauth/keys',
  introspect: '/login/oauth/introspect',
  revoke: '/login/oauth/revoke',
} as const;

/** Registers what clients of OAuth2 and OpenID Connect call. */
export function protocolRoutes(app: App, dependencies: Dependencies): void {
  tokenRoutes(app, dependencies);
  userRoutes(app, dependencies);
  descriptionRoutes(app, dependencies);
}

/** These routes check a client, not a user. */
const ofClient = { action: OAUTH_PROTOCOL.exchange, authenticatesClient: true } as const;
const NOT_STORED = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;

function tokenRoutes(app: App, { oauthApplications, oauthGrants, identities }: Dependencies): void {
  const read = async (request: FastifyRequest) => {
    const parameters = OAuthParameters.ofBody(request.body);
    return { parameters, client: await clientOf(request, parameters, oauthApplications) };
  };

  app.post(OAUTH_PATHS.token, { config: ofClient }, async (request, reply) => {
    const { parameters, client } = await read(request);
    const issued = await exchange(oauthGrants, client, parameters);
    const idToken = await identities.idToken(issued, { clientId: client.clientId, now: currentTimeMs() });
    return reply.headers(NOT_STORED).send({
      access_token: issued.accessToken,
      token_type: 'bearer',
      expires_in: OAUTH_GRANT_LIMITS.accessTokenMs / 1000,
      refresh_token: issued.refreshToken,
      ...(issued.scopes === '' ? {} : { scope: issued.scopes }),
      ...(idToken === undefined ? {} : { id_token: idToken }),
    });
  });

  app.post(OAUTH_PATHS.introspect, { config: ofClient }, async (request, reply) => {
    const { parameters, client } = await read(request);
    // Anyone knows the id of a public client, so it cannot ask on behalf of its users.
    if (!client.isConfidential) throw forbidden('only a confidential client can inspect tokens');
    const found = await oauthGrants.inspect(client.id, parameters.require('token'));
    reply.headers(NOT_STORED);
    if (found === undefined) return reply.send({ active: false });
    return reply.send({
      active: true,
      ...(found.scopes === '' ? {} : { scope: found.scopes }),
      client_id: client.clientId,
      username: found.account.name,
      token_type: found.kind === 'access' ? 'bearer' : 'refresh_token',
      sub: String(found.account.id),
      aud: client.clientId,
      iss: request.server.ownAddresses.baseUrl,
      iat: Math.floor(found.createdAt / 1000),
      exp: Math.floor(found.endsAt / 1000),
    });
  });

  app.post(OAUTH_PATHS.revoke, { config: ofClient }, async (request, reply) => {
    const { parameters, client } = await read(request);
    await oauthGrants.revoke(client.id, parameters.require('token'));
    return reply.headers(NOT_STORED).send({});
  });
}

function exchange(
  oauthGrants: OAuthGrants,
  { id: applicationId }: OAuthApplication,
  parameters: OAuthParameters,
): Promise<IssuedTokens> {
  const type = parameters.require('grant_type');
  switch (type) {
    case 'authorization_code':
      return oauthGrants.redeem({
        applicationId,
        code: parameters.require('code'),
        redirectUri: parameters.get('redirect_uri'),
        verifier: parameters.get('code_verifier'),
      });
    case 'refresh_token':
      return oauthGrants.refresh({
        applicationId,
        token: parameters.require('refresh_token'),
        scopes: parameters.get('scope'),
      });
    default:
      throw oauthFailure('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
  }
}

function userRoutes(app: App, { identities }: Dependencies): void {
  const send = async ({ viewer }: FastifyRequest, reply: FastifyReply) => {
    if (!isSignedIn(viewer) || viewer.source?.kind !== 'oauth')
      throw new ForgeError({ kind: 'unauthenticated', what: 'send the access token of an application' });
    const { scopes } = viewer.source;
    if (!opensIdentity(scopes, 'openid')) throw forbidden('the token needs the scope openid');
    return reply.headers(NOT_STORED).send(await identities.get(viewer.accountId, scopes));
  };
  const config = { action: OAUTH_PROTOCOL.readUser };
  app.get(OAUTH_PATHS.user, { config }, send);
  app.post(OAUTH_PATHS.user, { config }, send);
}

function descriptionRoutes(app: App, { oauthKeys, addresses }: Dependencies): void {
  const config = { action: OAUTH_PROTOCOL.describe };
  app.get(OAUTH_PATHS.keys, { config }, async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').send({ keys: await oauthKeys.list() }),
  );
  for (const name of ['openid-configuration', 'oauth-authorization-server'])
    app.get(`/.well-known/${name}`, { config }, async (_request, reply) =>
      reply.header('cache-control', 'public, max-age=300').send(describe(addresses)),
    );
}

/** @see OpenID Connect Discovery, section 3; RFC 8414, section 2 */
function describe({ baseUrl }: Addresses): Readonly<Record<string, unknown>> {
  const clientMethods = ['client_secret_basic', 'client_secret_post'];
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}${OAUTH_PATHS.authorize}`,
    token_endpoint: `${baseUrl}${OAUTH_PATHS.token}`,
    userinfo_endpoint: `${baseUrl}${OAUTH_PATHS.user}`,
    jwks_uri: `${baseUrl}${OAUTH_PATHS.keys}`,
    introspection_endpoint: `${baseUrl}${OAUTH_PATHS.introspect}`,
    revocation_endpoint: `${baseUrl}${OAUTH_PATHS.revoke}`,
    scopes_supported: [
      ...IDENTITY_SCOPES,
      'offline_access',
      'all',
      'public-only',
      'notes-only',
      ...SCOPE_CATEGORIES.flatMap((category) => [`read:${category}`, `write:${category}`]),
    ],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256', 'plain'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [ID_TOKEN_ALGORITHM],
    token_endpoint_auth_methods_supported: [...clientMethods, 'none'],
    introspection_endpoint_auth_methods_supported: clientMethods,
    revocation_endpoint_auth_methods_supported: [...clientMethods, 'none'],
    claims_supported: [
      'iss',
      'sub',
      'aud',
      'exp',
      'iat',
      'auth_time',
      'nonce',
      'at_hash',
      'name',
      'preferred_username',
      'profile',
      'picture',
      'email',
      'email_verified',
      'groups',
    ],
    prompt_values_supported: ['none', 'login', 'consent'],
    authorization_response_iss_parameter_supported: true,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  };
}
