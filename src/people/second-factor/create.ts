import type { Sealer } from '../../base/core/sealing.ts';
import type { Database } from '../../base/database/database.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../accounts/service.ts';
import { Passkeys } from './passkeys.ts';
import { secondFactorRoutes } from './routes.ts';
import { SecondFactors } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly sealer: Sealer;
  /** of this server */
  readonly secret: Uint8Array;
  readonly accounts: Accounts;
  readonly addresses: Addresses;
}

export function createSecondFactor({ database, sealer, secret, accounts, addresses }: Dependencies) {
  const secondFactors = new SecondFactors({ database, sealer, accounts, addresses });
  return {
    services: { secondFactors, passkeys: new Passkeys({ database, secret, addresses, secondFactors }) },
    routes: { api: (app: App) => secondFactorRoutes(app, { secondFactors, addresses }) },
  };
}
