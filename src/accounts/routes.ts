import type { SignedIn } from '../access/viewer.ts';
import type { Addresses, App } from '../http/app.ts';
import { accountEditOf, newAccountOf } from './options.ts';
import { presentUser } from './present.ts';
import { CreateUserBody, EditUserBody, UsernameParams, UserSchema } from './schema.ts';
import type { Accounts } from './service.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly addresses: Addresses;
}

export function accountRoutes(app: App, dependencies: Dependencies): void {
  const { accounts, addresses } = dependencies;

  app.get(
    '/user',
    {
      config: { action: 'account.read-self' },
      schema: { tags: ['user'], summary: 'Get your own account', response: { 200: UserSchema } },
    },
    async (request) => {
      const account = await accounts.getSelf(request.viewer as SignedIn);
      return presentUser(account, request.viewer, addresses);
    },
  );

  app.get(
    '/users/:username',
    {
      config: { action: 'account.read' },
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

  administrationRoutes(app, dependencies);
}

function administrationRoutes(app: App, { accounts, addresses }: Dependencies): void {
  const tags = ['admin'];

  app.post(
    '/admin/users',
    {
      config: { action: 'site.create-account' },
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
      config: { action: 'site.edit-account' },
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

  app.delete(
    '/admin/users/:username',
    {
      config: { action: 'site.delete-account' },
      schema: { tags, summary: 'Delete a user who owns no repositories', params: UsernameParams },
    },
    async (request, reply) => {
      await accounts.deleteUser(request.viewer, request.params.username);
      return reply.code(204).send();
    },
  );
}
