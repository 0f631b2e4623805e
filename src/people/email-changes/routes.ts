import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { SITE } from '../accounts/actions.ts';
import { VerifyEmailBody } from './schema.ts';
import type { EmailChanges } from './service.ts';

interface Dependencies {
  readonly emailChanges: EmailChanges;
  readonly addresses: Addresses;
}

export function emailChangeRoutes(app: App, { emailChanges, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'admin', addresses });

  api.post('/admin/users/:username/emails/verify', SITE.editAccount, {
    id: 'adminVerifyUserEmail',
    summary: 'Verify an e-mail address of a user',
    failures: ['invalid', 'already_exists'],
    body: VerifyEmailBody,
    handle: ({ viewer, params, body }) => emailChanges.verify(viewer, params.username, body.email),
  });
}
