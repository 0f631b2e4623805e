import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { AccountMails } from '../account-links/mails.ts';
import type { AccountLinks } from '../account-links/service.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Tokens } from '../tokens/service.ts';
import { recoveryRoutes } from './routes.ts';
import { Recovery } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly accounts: Accounts;
  readonly tokens: Tokens;
  readonly accountLinks: AccountLinks;
  readonly accountMails: AccountMails;
  readonly addresses: Addresses;
}

export function createRecovery(dependencies: Dependencies) {
  const recovery = new Recovery(dependencies);
  return {
    services: { recovery },
    routes: { api: (app: App) => recoveryRoutes(app, { ...dependencies, recovery }) },
  };
}
