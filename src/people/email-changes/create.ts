import type { Database } from '../../base/database/database.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { AccountMails } from '../account-links/mails.ts';
import type { AccountLinks } from '../account-links/service.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Tokens } from '../tokens/service.ts';
import { emailChangeRoutes } from './routes.ts';
import { EmailChanges } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly tokens: Tokens;
  readonly accountLinks: AccountLinks;
  readonly accountMails: AccountMails;
  readonly addresses: Addresses;
}

export function createEmailChanges(dependencies: Dependencies) {
  const emailChanges = new EmailChanges(dependencies);
  return {
    services: { emailChanges },
    routes: { api: (app: App) => emailChangeRoutes(app, { ...dependencies, emailChanges }) },
  };
}
