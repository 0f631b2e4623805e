import type { Database } from '../../base/database/database.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { QuotaAdministration } from './administration.ts';
import { quotaAdministrationRoutes } from './administration-routes.ts';
import type { QuotaSettings } from './model.ts';
import { quotaRoutes } from './routes.ts';
import { Quota } from './service.ts';
import { QuotaUsage } from './usage.ts';

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly quotaSettings: QuotaSettings;
  readonly addresses: Addresses;
}

export function createQuota(dependencies: Dependencies) {
  const quota = new Quota(dependencies);
  const quotaUsage = new QuotaUsage({ ...dependencies, quota });
  const quotaAdministration = new QuotaAdministration(dependencies);
  return {
    services: { quota, quotaUsage },
    routes: {
      api(app: App) {
        quotaRoutes(app, { ...dependencies, quotaUsage });
        quotaAdministrationRoutes(app, { ...dependencies, quotaAdministration, quotaUsage });
      },
    },
  };
}
