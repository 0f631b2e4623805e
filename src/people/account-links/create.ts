import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { Mailer } from '../../base/mail/mailer.ts';
import type { Addresses } from '../../http/app.ts';
import type { Accounts } from '../accounts/service.ts';
import { AccountMails } from './mails.ts';
import { AccountLinks } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly mailer: Mailer;
  readonly accounts: Accounts;
  /** of this server */
  readonly secret: Uint8Array;
  readonly addresses: Addresses;
}

export function createAccountLinks(dependencies: Dependencies) {
  const accountLinks = new AccountLinks(dependencies);
  const accountMails = new AccountMails({ ...dependencies, accountLinks });
  return { services: { accountLinks, accountMails } };
}
