import type { Database } from '../../base/database/database.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import { protectionRoutes } from './routes.ts';
import { Protections } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly addresses: Addresses;
}

/** Composes this feature. `app/subscriptions.ts` adds the rule that enforces it to the rules about pushes. */
export function createProtection(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const protections = new Protections(dependencies);
  return {
    services: { protections },
    routes: { api: (app: App) => protectionRoutes(app, { protections, addresses }) },
  };
}
