import type { Database } from '../../base/database/database.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Organizations } from '../organizations/service.ts';
import { teamRoutes } from './routes.ts';
import { Teams } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
}

export function createTeams(dependencies: Dependencies) {
  const teams = new Teams(dependencies);
  return {
    services: { teams },
    routes: { api: (app: App) => teamRoutes(app, { ...dependencies, teams }) },
  };
}
