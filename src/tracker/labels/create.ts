import type { Database } from '../../base/database/database.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { labelRoutes } from './routes.ts';
import { Labels } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly repositories: Repositories;
  readonly organizations: Organizations;
}

export function createLabels(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const labels = new Labels(dependencies);
  return {
    services: { labels },
    routes: { api: (app: App) => labelRoutes(app, { labels, addresses }) },
  };
}
