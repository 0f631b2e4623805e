import type { Database } from '../../base/database/database.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../accounts/service.ts';
import { sessionRoutes } from './routes.ts';
import { Sessions } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
}

export function createSessions({ database, addresses, accounts }: Dependencies) {
  const sessions = new Sessions({ database, accounts });
  return {
    services: { sessions },
    routes: { api: (app: App) => sessionRoutes(app, { sessions, addresses }) },
  };
}
