import type { Database } from '../../base/database/database.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Repositories } from '../repositories/service.ts';
import { topicRoutes } from './routes.ts';
import { Topics } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly repositories: Repositories;
}

export function createTopics(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const topics = new Topics(dependencies);
  return {
    services: { topics },
    routes: { api: (app: App) => topicRoutes(app, { topics, addresses }) },
  };
}
