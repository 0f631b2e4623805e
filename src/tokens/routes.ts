import { Type } from 'typebox';
import { SITE } from '../accounts/actions.ts';
import { pagingOf } from '../core/paging.ts';
import type { Addresses, App } from '../http/app.ts';
import { PagingQuery, setPagingHeaders } from '../http/paging.ts';
import { NO_CONTENT } from '../http/shapes.ts';
import { TOKEN } from './actions.ts';
import { newTokenOf } from './options.ts';
import { presentToken } from './present.ts';
import { AccessTokenSchema, CreateAccessTokenBody, TokenOwnerParams, TokenParams } from './schema.ts';
import type { Tokens } from './service.ts';

interface Dependencies {
  readonly tokens: Tokens;
  readonly addresses: Addresses;
}

/** The same in two places: for the account itself, and for site administrators by the scopes of those. */
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
  const tags = [isAdmin ? 'admin' : 'user'];

  app.get(
    `${base}/tokens`,
    {
      config: { action: isAdmin ? SITE.listAccounts : TOKEN.list },
      schema: {
        tags,
        summary: 'List the access tokens of an account',
        params: TokenOwnerParams,
        querystring: Type.Object(PagingQuery),
        response: { 200: Type.Array(AccessTokenSchema) },
      },
    },
    async (request, reply) => {
      const paging = pagingOf(request.query);
      const { items, total } = await tokens.list(request.viewer, request.params.username, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map(presentToken);
    },
  );

  app.post(
    `${base}/tokens`,
    {
      config: { action: isAdmin ? SITE.editAccount : TOKEN.create },
      schema: {
        tags,
        summary: 'Make an access token; only with a password, and the token is shown this once',
        params: TokenOwnerParams,
        body: CreateAccessTokenBody,
        response: { 201: AccessTokenSchema },
      },
    },
    async (request, reply) => {
      const made = await tokens.create(request.viewer, request.params.username, newTokenOf(request.body));
      return reply.code(201).send(presentToken(made));
    },
  );

  app.delete(
    `${base}/tokens/:token`,
    {
      config: { action: isAdmin ? SITE.editAccount : TOKEN.delete },
      schema: {
        tags,
        summary: 'Delete an access token by its id or its name',
        params: TokenParams,
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      const { username, token } = request.params;
      await tokens.delete(request.viewer, username, token);
      return reply.code(204).send();
    },
  );
}
