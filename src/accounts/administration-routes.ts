import { Type } from 'typebox';
import { pagingOf } from '../core/paging.ts';
import type { Addresses, App } from '../http/app.ts';
import { setPagingHeaders } from '../http/paging.ts';
import { NO_CONTENT } from '../http/shapes.ts';
import { SITE } from './actions.ts';
import { accountEditOf, newAccountOf, orderOf } from './options.ts';
import { presentEmail, presentUser } from './present.ts';
import {
  AdministrationListQuery,
  CreateUserBody,
  EditUserBody,
  EmailList,
  EmailSearchQuery,
  RemoveEmailsBody,
  RenameUserBody,
  UsernameParams,
  UserSchema,
} from './schema.ts';
import type { Accounts } from './service.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly addresses: Addresses;
}

const tags = ['admin'];

/** What site administrators do with users. */
export function administrationRoutes(app: App, dependencies: Dependencies): void {
  const { accounts, addresses } = dependencies;

  app.get(
    '/admin/users',
    {
      config: { action: SITE.listAccounts },
      schema: {
        tags,
        summary: 'List and find users',
        querystring: AdministrationListQuery,
        response: { 200: Type.Array(UserSchema) },
      },
    },
    async (request, reply) => {
      const { q, sort, source_id, login_name, is_2fa_enabled, ...query } = request.query;
      const paging = pagingOf(query);
      // There are no accounts from elsewhere, and none with a second factor.
      const isElsewhere = (source_id ?? 0) !== 0 || (login_name ?? '') !== '' || is_2fa_enabled === true;
      const search = { words: q?.trim(), id: isElsewhere ? 0 : undefined, order: orderOf(sort) };
      const { items, total } = await accounts.listUsers(request.viewer, paging, search);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((account) => presentUser(account, request.viewer, addresses));
    },
  );

  app.post(
    '/admin/users',
    {
      config: { action: SITE.createAccount },
      schema: { tags, summary: 'Create a user', body: CreateUserBody, response: { 201: UserSchema } },
    },
    async (request, reply) => {
      const account = await accounts.createUser(request.viewer, newAccountOf(request.body));
      return reply.code(201).send(presentUser(account, request.viewer, addresses));
    },
  );

  app.patch(
    '/admin/users/:username',
    {
      config: { action: SITE.editAccount },
      schema: {
        tags,
        summary: 'Change a user',
        params: UsernameParams,
        body: EditUserBody,
        response: { 200: UserSchema },
      },
    },
    async (request) => {
      const edit = accountEditOf(request.body);
      const account = await accounts.editUser(request.viewer, request.params.username, edit);
      return presentUser(account, request.viewer, addresses);
    },
  );

  app.post(
    '/admin/users/:username/rename',
    {
      config: { action: SITE.editAccount },
      schema: {
        tags,
        summary: 'Rename a user',
        params: UsernameParams,
        body: RenameUserBody,
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      await accounts.renameUser(request.viewer, request.params.username, request.body.new_username);
      return reply.code(204).send();
    },
  );

  app.delete(
    '/admin/users/:username',
    {
      config: { action: SITE.deleteAccount },
      schema: {
        tags,
        summary: 'Delete a user who owns nothing or, with purge, with all that the user owns',
        params: UsernameParams,
        querystring: Type.Object({ purge: Type.Optional(Type.Boolean()) }),
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      const purge = request.query.purge ?? false;
      await accounts.deleteUser(request.viewer, request.params.username, { purge });
      return reply.code(204).send();
    },
  );

  emailRoutes(app, dependencies);
}

function emailRoutes(app: App, { accounts, addresses }: Dependencies): void {
  for (const path of ['/admin/emails', '/admin/emails/search']) {
    app.get(
      path,
      {
        config: { action: SITE.listAccounts },
        schema: {
          tags,
          summary: 'List and find e-mail addresses',
          querystring: EmailSearchQuery,
          response: { 200: EmailList },
        },
      },
      async (request, reply) => {
        const { q = '', ...query } = request.query;
        const paging = pagingOf(query);
        const { items, total } = await accounts.emails.search(request.viewer, q.trim(), paging);
        setPagingHeaders(request, reply, addresses, { paging, total });
        return items.map(presentEmail);
      },
    );
  }

  app.get(
    '/admin/users/:username/emails',
    {
      config: { action: SITE.listAccounts },
      schema: {
        tags,
        summary: 'List the e-mail addresses of a user',
        params: UsernameParams,
        response: { 200: EmailList },
      },
    },
    async (request) => {
      const { id } = await accounts.getByName(request.viewer, request.params.username);
      return (await accounts.emails.listOf(request.viewer, id)).map(presentEmail);
    },
  );

  app.delete(
    '/admin/users/:username/emails',
    {
      config: { action: SITE.editAccount },
      schema: {
        tags,
        summary: 'Take e-mail addresses of a user away',
        params: UsernameParams,
        body: RemoveEmailsBody,
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      const { id } = await accounts.getByName(request.viewer, request.params.username);
      await accounts.emails.remove(request.viewer, id, request.body.emails ?? []);
      return reply.code(204).send();
    },
  );
}
