import type { Database } from '../../base/database/database.ts';
import type { Addresses, App } from '../../http/app.ts';
import { PasswordHashing, type PasswordHashingOptions } from './passwords/hash-password.ts';
import { accountRoutes } from './routes.ts';
import { Accounts } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly passwordHashing?: PasswordHashingOptions | undefined;
}

export function createAccounts({ database, addresses, passwordHashing }: Dependencies) {
  const accounts = new Accounts({ database, addresses, passwords: new PasswordHashing(passwordHashing) });
  return {
    services: { accounts },
    routes: { api: (app: App) => accountRoutes(app, { accounts, addresses }) },
  };
}
