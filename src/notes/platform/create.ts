import type { Database } from '../../base/database/database.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Tokens } from '../../people/tokens/service.ts';
import { ocsRoutes } from './ocs-routes.ts';
import { DeviceSignIn } from './sign-in.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { platformStatusRoutes } from './status-routes.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly tokens: Tokens;
}

export function createPlatform(dependencies: Dependencies) {
  const { accounts, addresses } = dependencies;
  const deviceSignIn = new DeviceSignIn(dependencies);
  return {
    services: { deviceSignIn },
    routes: {
      ocs: (app: App) => ocsRoutes(app, { accounts, deviceSignIn }),
      platform(app: App) {
        signInRoutes(app, { deviceSignIn, addresses });
        platformStatusRoutes(app, { accounts, addresses });
      },
    },
  };
}
