import type { Accounts } from '../accounts/service.ts';
import type { Database } from '../database/database.ts';
import type { Addresses, App } from '../http/app.ts';
import type { Tokens } from '../tokens/service.ts';
import { OwnPassword } from './own-password.ts';
import { ownPasswordRoutes } from './routes.ts';
import { Authentication } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly tokens: Tokens;
}

export function createAuthentication({ database, addresses, accounts, tokens }: Dependencies) {
  const authentication = new Authentication({ accounts, tokens, addresses });
  const ownPassword = new OwnPassword({ database, accounts, tokens, authentication });
  return {
    services: { authentication, ownPassword },
    routes: { api: (app: App) => ownPasswordRoutes(app, { accounts, ownPassword, addresses }) },
  };
}
