import type { Database } from '../../base/database/database.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import { statusRoutes } from './routes.ts';
import { Statuses } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly addresses: Addresses;
  readonly repositories: Repositories;
}

export function createStatuses(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const statuses = new Statuses(dependencies);
  return {
    services: { statuses },
    routes: { api: (app: App) => statusRoutes(app, { statuses, addresses }) },
  };
}
