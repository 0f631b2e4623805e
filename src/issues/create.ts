import type { Accounts } from '../accounts/service.ts';
import type { Database } from '../database/database.ts';
import type { Addresses, App } from '../http/app.ts';
import type { Repositories } from '../repositories/service.ts';
import { commentRoutes } from './comments/routes.ts';
import { Comments } from './comments/service.ts';
import { issueRoutes } from './routes.ts';
import { Issues } from './service.ts';
import { subscriptionRoutes } from './subscriptions/routes.ts';
import { Subscriptions } from './subscriptions/service.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
}

export function createIssues(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const issues = new Issues(dependencies);
  const subscriptions = new Subscriptions({ ...dependencies, access: issues.access });
  const comments = new Comments({ ...dependencies, access: issues.access });
  return {
    services: { issues, comments },
    routes: {
      api: (app: App) => {
        issueRoutes(app, { issues, addresses });
        commentRoutes(app, { comments, addresses });
        subscriptionRoutes(app, { subscriptions, addresses });
      },
    },
  };
}
