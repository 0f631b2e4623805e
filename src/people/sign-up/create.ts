import type { Database } from '../../base/database/database.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { AccountMails } from '../account-links/mails.ts';
import type { AccountLinks } from '../account-links/service.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Teams } from '../teams/service.ts';
import type { SignUpSettings } from './model.ts';
import { invitationRoutes } from './routes.ts';
import { SignUp } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly teams: Teams;
  readonly accountLinks: AccountLinks;
  readonly accountMails: AccountMails;
  readonly signUpSettings: SignUpSettings;
  readonly addresses: Addresses;
}

export function createSignUp(dependencies: Dependencies) {
  const signUp = new SignUp(dependencies);
  return {
    services: { signUp },
    routes: { api: (app: App) => invitationRoutes(app, { ...dependencies, signUp }) },
  };
}
