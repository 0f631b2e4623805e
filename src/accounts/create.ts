import type { Database } from '../database/database.ts';
import type { Addresses, App } from '../http/app.ts';
import { type PasswordCost, PasswordHashing } from './hash-password.ts';
import { accountRoutes } from './routes.ts';
import { Accounts } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly passwordCost?: PasswordCost | undefined;
}

export function createAccounts({ database, addresses, passwordCost }: Dependencies) {
  const accounts = new Accounts({ database, addresses, passwords: new PasswordHashing(passwordCost) });
  return {
    services: { accounts },
    routes: { api: (app: App) => accountRoutes(app, { accounts, addresses }) },
  };
}
