import type { Database } from '../../base/database/database.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../accounts/service.ts';
import { organizationRoutes } from './routes.ts';
import { Organizations } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
}

export function createOrganizations(dependencies: Dependencies) {
  const organizations = new Organizations(dependencies);
  return {
    services: { organizations },
    routes: { api: (app: App) => organizationRoutes(app, { ...dependencies, organizations }) },
  };
}
