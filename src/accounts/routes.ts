import type { SignedIn } from '../access/viewer.ts';
import { pagingOf } from '../core/paging.ts';
import type { Addresses, App } from '../http/app.ts';
import { setPagingHeaders } from '../http/paging.ts';
import { ACCOUNT } from './actions.ts';
import { administrationRoutes } from './administration-routes.ts';
import { orderOf } from './options.ts';
import { presentUser } from './present.ts';
import { UsernameParams, UserSchema, UserSearchQuery, UserSearchSchema } from './schema.ts';
import type { Accounts } from './service.ts';
import { settingsRoutes } from './settings-routes.ts';

export function accountRoutes(app: App, dependencies: { accounts: Accounts; addresses: Addresses }): void {
  const { accounts, addresses } = dependencies;

  app.get(
    '/user',
    {
      config: { action: ACCOUNT.readSelf },
      schema: { tags: ['user'], summary: 'Get your own account', response: { 200: UserSchema } },
    },
    async (request) => {
      const account = await accounts.getSelf(request.viewer as SignedIn);
      return presentUser(account, request.viewer, addresses);
    },
  );

  app.get(
    '/users/search',
    {
      config: { action: ACCOUNT.search },
      schema: {
        tags: ['user'],
        summary: 'Find users by part of their name',
        querystring: UserSearchQuery,
        response: { 200: UserSearchSchema },
      },
    },
    async (request, reply) => {
      const { q, uid, sort, ...query } = request.query;
      const paging = pagingOf(query);
      const search = { words: q?.trim(), id: uid === 0 ? undefined : uid, order: orderOf(sort) };
      const { items, total } = await accounts.searchUsers(request.viewer, search, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return { ok: true, data: items.map((account) => presentUser(account, request.viewer, addresses)) };
    },
  );

  app.get(
    '/users/:username',
    {
      config: { action: ACCOUNT.read },
      schema: {
        tags: ['user'],
        summary: 'Get an account',
        params: UsernameParams,
        response: { 200: UserSchema },
      },
    },
    async (request) => {
      const account = await accounts.getByName(request.viewer, request.params.username);
      return presentUser(account, request.viewer, addresses);
    },
  );

  settingsRoutes(app, dependencies);
  administrationRoutes(app, dependencies);
}
