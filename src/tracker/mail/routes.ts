import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { MAIL } from './actions.ts';
import { MailSettingsAnswer } from './present.ts';
import { EditMailSettingsBody } from './schema.ts';
import type { MailPreferences } from './service.ts';

interface Dependencies {
  readonly mailPreferences: MailPreferences;
  readonly addresses: Addresses;
}

/** The reference has these settings on its pages only. */
export function mailRoutes(app: App, { mailPreferences, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'user', addresses });

  api.get('/user/mail', MAIL.readSettings, {
    id: 'quireGetMailSettings',
    summary: 'Get which notifications you get by mail',
    failures: ['not_found'],
    answer: MailSettingsAnswer,
    handle: ({ viewer }) => mailPreferences.get(viewer),
  });

  api.patch('/user/mail', MAIL.changeSettings, {
    id: 'quireEditMailSettings',
    summary: 'Choose which notifications you get by mail',
    failures: ['not_found', 'invalid'],
    body: EditMailSettingsBody,
    answer: MailSettingsAnswer,
    handle: ({ viewer, body }) => mailPreferences.set(viewer, body.notifications),
  });
}
