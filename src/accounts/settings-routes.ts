import type { SignedIn } from '../access/viewer.ts';
import type { App } from '../http/app.ts';
import { NO_CONTENT } from '../http/shapes.ts';
import { ACCOUNT } from './actions.ts';
import { settingsEditOf } from './options.ts';
import { presentEmail, presentSettings } from './present.ts';
import {
  AddEmailsBody,
  EditUserSettingsBody,
  EmailList,
  RemoveEmailsBody,
  UserSettingsSchema,
} from './schema.ts';
import type { Accounts } from './service.ts';

const tags = ['user'];

/** What an account says of itself. */
export function settingsRoutes(app: App, { accounts }: { accounts: Accounts }): void {
  app.get(
    '/user/settings',
    {
      config: { action: ACCOUNT.readSelf },
      schema: { tags, summary: 'Get your own settings', response: { 200: UserSettingsSchema } },
    },
    async (request) => presentSettings(await accounts.getSelf(request.viewer as SignedIn)),
  );

  app.patch(
    '/user/settings',
    {
      config: { action: ACCOUNT.changeSelf },
      schema: {
        tags,
        summary: 'Change your own settings',
        body: EditUserSettingsBody,
        response: { 200: UserSettingsSchema },
      },
    },
    async (request) =>
      presentSettings(await accounts.editSelf(request.viewer as SignedIn, settingsEditOf(request.body))),
  );

  app.get(
    '/user/emails',
    {
      config: { action: ACCOUNT.readSelf },
      schema: { tags, summary: 'List your own e-mail addresses', response: { 200: EmailList } },
    },
    async (request) => {
      const viewer = request.viewer as SignedIn;
      await accounts.getSelf(viewer);
      return (await accounts.emails.listOwn(viewer)).map(presentEmail);
    },
  );

  app.post(
    '/user/emails',
    {
      config: { action: ACCOUNT.changeSelf },
      schema: {
        tags,
        summary: 'Add e-mail addresses of your own',
        body: AddEmailsBody,
        response: { 201: EmailList },
      },
    },
    async (request, reply) => {
      const viewer = request.viewer as SignedIn;
      await accounts.getOwnUser(viewer);
      const added = await accounts.emails.add(viewer, request.body.emails ?? []);
      return reply.code(201).send(added.map(presentEmail));
    },
  );

  app.delete(
    '/user/emails',
    {
      config: { action: ACCOUNT.changeSelf },
      schema: {
        tags,
        summary: 'Take e-mail addresses of your own away',
        body: RemoveEmailsBody,
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      const { id } = await accounts.getOwnUser(request.viewer as SignedIn);
      await accounts.emails.remove(request.viewer, id, request.body.emails ?? []);
      return reply.code(204).send();
    },
  );
}
