import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { SITE } from '../accounts/actions.ts';
import { TOKEN } from './actions.ts';
import { newTokenOf, tokenFilterOf } from './options.ts';
import { TokenAnswer } from './present.ts';
import { CreateAccessTokenBody, TokenQuery } from './schema.ts';
import type { Tokens } from './service.ts';

interface Dependencies {
  readonly tokens: Tokens;
  readonly addresses: Addresses;
}

/** Adds the same operations twice: for the account itself, and for site administrators with their own scopes. */
export function tokenRoutes(app: App, dependencies: Dependencies): void {
  routesBelow(app, dependencies, '/users/:username');
  routesBelow(app, dependencies, '/admin/users/:username');
}

function routesBelow(
  app: App,
  { tokens, addresses }: Dependencies,
  base: '/users/:username' | '/admin/users/:username',
): void {
  const isAdmin = base === '/admin/users/:username';
  const api = operationsOn(app, { tag: isAdmin ? 'admin' : 'user', addresses });

  api.list(`${base}/tokens`, isAdmin ? SITE.listAccounts : TOKEN.list, {
    id: isAdmin ? 'adminListUserAccessTokens' : 'userGetTokens',
    summary: 'List the access tokens of an account',
    failures: ['invalid', 'bad_request'],
    query: TokenQuery,
    answer: TokenAnswer,
    handle: ({ viewer, params, paging, query }) =>
      tokens.list(viewer, params.username, paging, tokenFilterOf(query)),
  });

  api.post(`${base}/tokens`, isAdmin ? SITE.editAccount : TOKEN.create, {
    id: isAdmin ? 'adminCreateUserAccessToken' : 'userCreateToken',
    summary: 'Create an access token: requires a password, and only this response shows the token',
    failures: ['bad_request'],
    body: CreateAccessTokenBody,
    status: 201,
    answer: TokenAnswer,
    handle: ({ viewer, params, body }) => tokens.create(viewer, params.username, newTokenOf(body)),
  });

  api.delete(`${base}/tokens/:token`, isAdmin ? SITE.editAccount : TOKEN.delete, {
    id: isAdmin ? 'adminDeleteUserAccessToken' : 'userDeleteAccessToken',
    summary: 'Delete an access token by its id or its name',
    handle: ({ viewer, params }) => tokens.delete(viewer, params.username, params.token),
  });
}
