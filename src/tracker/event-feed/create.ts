import type { Database } from '../../base/database/database.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Authentication } from '../../people/authentication/service.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { Cursors } from './cursors.ts';
import { eventFeedRoutes } from './routes.ts';
import { EventFeed } from './service.ts';

interface Dependencies {
  readonly database: Database;
  /** of this server */
  readonly secret: Uint8Array;
  readonly authentication: Authentication;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly repositories: Repositories;
  readonly addresses: Addresses;
}

/** Composes the event feed. */
export function createEventFeed(dependencies: Dependencies) {
  const cursors = new Cursors(dependencies.secret);
  const eventFeed = new EventFeed({ ...dependencies, cursors });
  return {
    services: { eventFeed, eventCursors: cursors },
    routes: { api: (app: App) => eventFeedRoutes(app, { ...dependencies, eventFeed, cursors }) },
  };
}
