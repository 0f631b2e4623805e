import type { Database } from '../../base/database/database.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../accounts/service.ts';
import type { TokenSettings } from './model.ts';
import { tokenRoutes } from './routes.ts';
import { Tokens } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly tokenSettings: TokenSettings;
}

export function createTokens({ database, addresses, accounts, tokenSettings }: Dependencies) {
  const tokens = new Tokens({ database, accounts, tokenSettings });
  return {
    services: { tokens },
    routes: { api: (app: App) => tokenRoutes(app, { tokens, addresses }) },
  };
}
