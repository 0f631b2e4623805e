import type { Database } from '../../base/database/database.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import type { Teams } from '../../people/teams/service.ts';
import type { Quota } from '../quota/service.ts';
import type { Repositories } from '../repositories/service.ts';
import { transferRoutes } from './routes.ts';
import { RepositoryTransfers } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly teams: Teams;
  readonly repositories: Repositories;
  readonly quota: Quota;
}

export function createTransfers(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const transfers = new RepositoryTransfers(dependencies);
  return {
    services: { transfers },
    routes: { api: (app: App) => transferRoutes(app, { transfers, addresses }) },
  };
}
