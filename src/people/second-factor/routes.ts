import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { SITE } from '../accounts/actions.ts';
import type { SecondFactors } from './service.ts';

interface Dependencies {
  readonly secondFactors: SecondFactors;
  readonly addresses: Addresses;
}

/** Administration of second factors, for site administrators. */
export function secondFactorRoutes(app: App, { secondFactors, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'admin', addresses });

  api.delete('/admin/users/:username/second-factor', SITE.editAccount, {
    id: 'adminResetSecondFactor',
    summary: 'Remove all second factors of a user who has lost them',
    failures: ['invalid'],
    handle: ({ viewer, params }) => secondFactors.reset(viewer, params.username),
  });
}
