import type { Database } from '../../base/database/database.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Organizations } from '../organizations/service.ts';
import { blockRoutes } from './routes.ts';
import { Blocks } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
}

export function createBlocks(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const blocks = new Blocks(dependencies);
  return {
    services: { blocks },
    routes: { api: (app: App) => blockRoutes(app, { blocks, addresses }) },
  };
}
