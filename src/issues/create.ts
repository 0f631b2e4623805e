import type { Accounts } from '../accounts/service.ts';
import type { Database } from '../database/database.ts';
import type { Addresses, App } from '../http/app.ts';
import type { Repositories } from '../repositories/service.ts';
import { commentRoutes } from './comments/routes.ts';
import { Comments } from './comments/service.ts';
import { dependencyRoutes } from './dependencies/routes.ts';
import { Dependencies } from './dependencies/service.ts';
import { issueRoutes } from './routes.ts';
import { Issues } from './service.ts';
import { subscriptionRoutes } from './subscriptions/routes.ts';
import { Subscriptions } from './subscriptions/service.ts';

interface Given {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
}

export function createIssues(given: Given) {
  const { addresses } = given;
  const issues = new Issues(given);
  const parts = { ...given, access: issues.access };
  const subscriptions = new Subscriptions(parts);
  const comments = new Comments(parts);
  const dependencies = new Dependencies(parts);
  return {
    services: { issues, comments },
    routes: {
      api: (app: App) => {
        issueRoutes(app, { issues, addresses });
        commentRoutes(app, { comments, addresses });
        subscriptionRoutes(app, { subscriptions, addresses });
        dependencyRoutes(app, { dependencies, addresses });
      },
    },
  };
}
