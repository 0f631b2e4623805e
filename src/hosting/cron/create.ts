import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import { cronRoutes } from './routes.ts';
import { Cron } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly addresses: Addresses;
}

export function createCron(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const cron = new Cron(dependencies);
  return { services: { cron }, routes: { api: (app: App) => cronRoutes(app, { cron, addresses }) } };
}
