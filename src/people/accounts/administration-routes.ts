import { Type } from 'typebox';
import { type Operations, operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { SITE } from './actions.ts';
import { accountEditOf, newAccountOf, orderOf } from './options.ts';
import { EmailAnswer, UserAnswer } from './present.ts';
import {
  AccountListQuery,
  CreateUserBody,
  EditUserBody,
  RemoveEmailsBody,
  RenameUserBody,
  SourceQuery,
} from './schema.ts';
import type { Accounts } from './service.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly addresses: Addresses;
}

/** Administration of users, for site administrators. */
export function administrationRoutes(app: App, dependencies: Dependencies): void {
  const api = operationsOn(app, { tag: 'admin', addresses: dependencies.addresses });
  userRoutes(api, dependencies);
  emailRoutes(api, dependencies);
}

function userRoutes(api: Operations, { accounts }: Dependencies): void {
  api.list('/admin/users', SITE.listAccounts, {
    id: 'adminSearchUsers',
    summary: 'List or search users',
    query: { ...AccountListQuery, ...SourceQuery },
    answer: UserAnswer,
    handle({ viewer, query, paging }) {
      const { q, sort, source_id, login_name, is_2fa_enabled } = query;
      // No account comes from an external source.
      const isElsewhere = (source_id ?? 0) !== 0 || (login_name ?? '') !== '';
      const search = {
        words: q?.trim(),
        id: isElsewhere ? 0 : undefined,
        hasSecondFactor: is_2fa_enabled,
        order: orderOf(sort),
      };
      return accounts.listUsers(viewer, paging, search);
    },
  });

  api.post('/admin/users', SITE.createAccount, {
    id: 'adminCreateUser',
    summary: 'Create a user',
    failures: ['bad_request'],
    body: CreateUserBody,
    status: 201,
    answer: UserAnswer,
    handle: ({ viewer, body }) => accounts.createUser(viewer, newAccountOf(body)),
  });

  api.patch('/admin/users/:username', SITE.editAccount, {
    id: 'adminEditUser',
    summary: 'Change a user',
    failures: ['bad_request'],
    body: EditUserBody,
    answer: UserAnswer,
    handle: ({ viewer, params, body }) => accounts.editUser(viewer, params.username, accountEditOf(body)),
  });

  api.post('/admin/users/:username/rename', SITE.editAccount, {
    id: 'adminRenameUser',
    summary: 'Rename a user',
    body: RenameUserBody,
    handle: ({ viewer, params, body }) => accounts.renameUser(viewer, params.username, body.new_username),
  });

  api.delete('/admin/users/:username', SITE.deleteAccount, {
    id: 'adminDeleteUser',
    summary: 'Delete a user who owns nothing or, with purge, everything that the user owns too',
    failures: ['invalid'],
    query: { purge: Type.Optional(Type.Boolean()) },
    handle: ({ viewer, params, query }) =>
      accounts.deleteUser(viewer, params.username, { purge: query.purge ?? false }),
  });
}

function emailRoutes(api: Operations, { accounts }: Dependencies): void {
  const routes = [
    ['/admin/emails', 'adminGetAllEmails'],
    ['/admin/emails/search', 'adminSearchEmails'],
  ] as const;
  for (const [url, id] of routes) {
    api.list(url, SITE.listAccounts, {
      id,
      summary: 'List or search e-mail addresses',
      query: { q: Type.Optional(Type.String()) },
      answer: EmailAnswer,
      handle: ({ viewer, query, paging }) => accounts.emails.search(viewer, (query.q ?? '').trim(), paging),
    });
  }

  api.wholeList('/admin/users/:username/emails', SITE.listAccounts, {
    id: 'adminListUserEmails',
    summary: 'List the e-mail addresses of a user',
    answer: EmailAnswer,
    async handle({ viewer, params }) {
      const { id } = await accounts.getByName(viewer, params.username);
      return accounts.emails.listOf(viewer, id);
    },
  });

  api.delete('/admin/users/:username/emails', SITE.editAccount, {
    id: 'adminDeleteUserEmails',
    summary: 'Remove e-mail addresses of a user',
    body: RemoveEmailsBody,
    async handle({ viewer, params, body }) {
      const { id } = await accounts.getByName(viewer, params.username);
      await accounts.emails.remove(viewer, id, body.emails ?? []);
    },
  });
}
