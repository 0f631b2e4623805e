import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { Mailer } from '../../base/mail/mailer.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Tokens } from '../../people/tokens/service.ts';
import type { Subscriptions } from '../issues/discussion/subscriptions/service.ts';
import type { Markdown } from '../markdown/service.ts';
import type { Notifications } from '../notifications/service.ts';
import { MailComposer } from './compose.ts';
import { mailPages } from './pages.ts';
import { mailRoutes } from './routes.ts';
import { MailSending } from './sending.ts';
import { MailPreferences } from './service.ts';
import { TokenNotices } from './token-notices.ts';
import { UnsubscribeAddresses } from './unsubscribe.ts';

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly mailer: Mailer;
  readonly markdown: Markdown;
  readonly notifications: Notifications;
  readonly subscriptions: Subscriptions;
  readonly tokens: Tokens;
  /** of this server */
  readonly secret: Uint8Array;
  readonly addresses: Addresses;
}

/** Composes notifications by mail. */
export function createMail(dependencies: Dependencies) {
  const { secret, addresses } = dependencies;
  const unsubscribe = new UnsubscribeAddresses(secret, addresses);
  const mailPreferences = new MailPreferences({ ...dependencies, unsubscribe });
  const composer = new MailComposer({ ...dependencies, unsubscribe });
  new TokenNotices(dependencies);
  const mailSending = new MailSending({ ...dependencies, composer });
  return {
    services: { mailSending, mailPreferences },
    routes: {
      api: (app: App) => mailRoutes(app, { mailPreferences, addresses }),
      web: (app: App) => mailPages(app, { mailPreferences }),
    },
  };
}
