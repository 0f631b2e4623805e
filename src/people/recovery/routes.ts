import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { SITE } from '../accounts/actions.ts';
import { ResetLinkAnswer } from './present.ts';
import type { Recovery } from './service.ts';

interface Dependencies {
  readonly recovery: Recovery;
  readonly addresses: Addresses;
}

export function recoveryRoutes(app: App, { recovery, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'admin', addresses });

  api.post('/admin/users/:username/reset-link', SITE.editAccount, {
    id: 'adminCreateResetLink',
    summary: 'Make a link that gives a user a new password, to hand over',
    failures: ['invalid'],
    status: 201,
    answer: ResetLinkAnswer,
    handle: ({ viewer, params }) => recovery.linkFor(viewer, params.username),
  });
}
