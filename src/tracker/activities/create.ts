import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import type { Teams } from '../../people/teams/service.ts';
import type { Comments } from '../issues/discussion/comments/service.ts';
import { ActivityRecorder } from './recorder.ts';
import { activityRoutes } from './routes.ts';
import { Activities } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'history'>;
  readonly jobs: Jobs;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly teams: Teams;
  readonly repositories: Repositories;
  readonly comments: Comments;
}

/** Composes activity feeds. */
export function createActivities(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const activities = new Activities(dependencies);
  return {
    services: { activities, activityRecorder: new ActivityRecorder(dependencies) },
    routes: { api: (app: App) => activityRoutes(app, { activities, addresses }) },
  };
}
