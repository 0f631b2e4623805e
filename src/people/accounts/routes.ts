import { listOf } from '../../api/operations/answers.ts';
import { type Operations, operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { ACCOUNT } from './actions.ts';
import { administrationRoutes } from './administration-routes.ts';
import { orderOf, settingsEditOf } from './options.ts';
import { EmailAnswer, SettingsAnswer, UserAnswer } from './present.ts';
import {
  AccountListQuery,
  AddEmailsBody,
  EditUserSettingsBody,
  RemoveEmailsBody,
  UserIdQuery,
  UserSearchSchema,
} from './schema.ts';
import type { Accounts } from './service.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly addresses: Addresses;
}

export function accountRoutes(app: App, dependencies: Dependencies): void {
  const api = operationsOn(app, { tag: 'user', addresses: dependencies.addresses });
  userRoutes(api, dependencies);
  settingsRoutes(api, dependencies);
  emailRoutes(api, dependencies);
  administrationRoutes(app, dependencies);
}

function userRoutes(api: Operations, { accounts }: Dependencies): void {
  api.get('/user', ACCOUNT.readSelf, {
    id: 'userGetCurrent',
    summary: 'Get your own account',
    failures: ['not_found'],
    answer: UserAnswer,
    handle: ({ viewer }) => accounts.getSelf(viewer),
  });

  api.list('/users/search', ACCOUNT.search, {
    id: 'userSearch',
    summary: 'Search for users by part of their name',
    query: { ...AccountListQuery, ...UserIdQuery },
    answer: UserAnswer,
    envelope: { shape: UserSearchSchema, around: (data) => ({ ok: true, data }) },
    handle: ({ viewer, query: { q, uid, sort }, paging }) =>
      accounts.searchUsers(
        viewer,
        { words: q?.trim(), id: uid === 0 ? undefined : uid, order: orderOf(sort) },
        paging,
      ),
  });

  api.get('/users/:username', ACCOUNT.read, {
    id: 'userGet',
    summary: 'Get an account',
    answer: UserAnswer,
    handle: ({ viewer, params }) => accounts.getByName(viewer, params.username),
  });
}

function settingsRoutes(api: Operations, { accounts }: Dependencies): void {
  api.get('/user/settings', ACCOUNT.readSelf, {
    id: 'getUserSettings',
    summary: 'Get your own settings',
    answer: SettingsAnswer,
    handle: ({ viewer }) => accounts.getSelf(viewer),
  });

  api.patch('/user/settings', ACCOUNT.changeSelf, {
    id: 'updateUserSettings',
    summary: 'Change your own settings',
    body: EditUserSettingsBody,
    answer: SettingsAnswer,
    handle: ({ viewer, body }) => accounts.editSelf(viewer, settingsEditOf(body)),
  });
}

function emailRoutes(api: Operations, { accounts }: Dependencies): void {
  api.wholeList('/user/emails', ACCOUNT.readSelf, {
    id: 'userListEmails',
    summary: 'List your own e-mail addresses',
    answer: EmailAnswer,
    async handle({ viewer }) {
      await accounts.getSelf(viewer);
      return accounts.emails.listOwn(viewer);
    },
  });

  api.post('/user/emails', ACCOUNT.changeEmails, {
    id: 'userAddEmail',
    summary: 'Add e-mail addresses to your own account, and list all of them',
    body: AddEmailsBody,
    status: 201,
    answer: listOf(EmailAnswer),
    async handle({ viewer, body }) {
      await accounts.getOwnUser(viewer);
      return accounts.emails.add(viewer, body.emails ?? []);
    },
  });

  api.delete('/user/emails', ACCOUNT.changeEmails, {
    id: 'userDeleteEmail',
    summary: 'Remove e-mail addresses from your own account',
    failures: ['not_found'],
    body: RemoveEmailsBody,
    async handle({ viewer, body }) {
      const { id } = await accounts.getOwnUser(viewer);
      await accounts.emails.remove(viewer, id, body.emails ?? []);
    },
  });
}
