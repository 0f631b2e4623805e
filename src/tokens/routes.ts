import { Type } from 'typebox';
import { pagingOf } from '../core/paging.ts';
import type { Addresses, App } from '../http/app.ts';
import { PagingQuery, setPagingHeaders } from '../http/paging.ts';
import { newTokenOf } from './options.ts';
import { presentToken } from './present.ts';
import { AccessTokenSchema, CreateAccessTokenBody, TokenOwnerParams, TokenParams } from './schema.ts';
import type { Tokens } from './service.ts';

const tags = ['user'];

export function tokenRoutes(app: App, dependencies: { tokens: Tokens; addresses: Addresses }): void {
  const { tokens, addresses } = dependencies;

  app.get(
    '/users/:username/tokens',
    {
      config: { action: 'token.list' },
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
    '/users/:username/tokens',
    {
      config: { action: 'token.create' },
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
    '/users/:username/tokens/:token',
    {
      config: { action: 'token.delete' },
      schema: { tags, summary: 'Delete an access token by its id or its name', params: TokenParams },
    },
    async (request, reply) => {
      const { username, token } = request.params;
      await tokens.delete(request.viewer, username, token);
      return reply.code(204).send();
    },
  );
}
