import type { Database } from '../../base/database/database.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../accounts/service.ts';
import { followRoutes } from './routes.ts';
import { Follows } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
}

export function createFollows(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const follows = new Follows(dependencies);
  return {
    services: { follows },
    routes: { api: (app: App) => followRoutes(app, { follows, addresses }) },
  };
}
