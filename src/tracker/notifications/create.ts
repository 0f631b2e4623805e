import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import { NotificationDelivery } from './delivery.ts';
import { notificationRoutes } from './routes.ts';
import { Notifications } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly addresses: Addresses;
  readonly repositories: Repositories;
}

/** Composes notifications. */
export function createNotifications(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const notifications = new Notifications(dependencies);
  return {
    services: { notifications, notificationDelivery: new NotificationDelivery(dependencies) },
    routes: { api: (app: App) => notificationRoutes(app, { notifications, addresses }) },
  };
}
