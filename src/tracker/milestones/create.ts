import type { Database } from '../../base/database/database.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import { milestoneRoutes } from './routes.ts';
import { Milestones } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly repositories: Repositories;
}

export function createMilestones(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const milestones = new Milestones(dependencies);
  return {
    services: { milestones },
    routes: { api: (app: App) => milestoneRoutes(app, { milestones, addresses }) },
  };
}
