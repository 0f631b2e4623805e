import type { Sealer } from '../../base/core/sealing.ts';
import type { Database } from '../../base/database/database.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../accounts/service.ts';
import type { OAuthGrants } from '../oauth-grants/service.ts';
import type { Organizations } from '../organizations/service.ts';
import { Identities } from './identity.ts';
import { OAuthKeys } from './keys.ts';
import type { OAuthSettings } from './model.ts';
import { protocolRoutes } from './protocol-routes.ts';
import { applicationRoutes } from './routes.ts';
import { OAuthApplications } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly sealer: Sealer;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly oauthGrants: OAuthGrants;
  readonly oauthSettings: OAuthSettings;
}

export function createOAuth(dependencies: Dependencies) {
  const oauthApplications = new OAuthApplications(dependencies);
  const oauthKeys = new OAuthKeys(dependencies);
  const identities = new Identities({ ...dependencies, oauthKeys });
  const services = { oauthApplications, oauthKeys };
  if (!dependencies.oauthSettings.isEnabled) return { services };
  const used = { ...dependencies, ...services, identities };
  return {
    services,
    routes: {
      api: (app: App) => applicationRoutes(app, used),
      oauth: (app: App) => protocolRoutes(app, used),
    },
  };
}
