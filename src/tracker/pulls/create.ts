import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Pushes } from '../../hosting/repositories/refs/pushes.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Issues } from '../issues/service.ts';
import { CheckJobs } from './checks/jobs.ts';
import { PullChecks } from './checks/service.ts';
import { HeadFollower } from './heads/follow.ts';
import { pullRoutes } from './routes.ts';
import { Pulls } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'writes' | 'history'>;
  readonly jobs: Jobs;
  readonly pushes: Pushes;
  readonly repositories: Repositories;
  readonly issues: Issues;
  readonly addresses: Addresses;
}

export function createPulls(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const checks = new PullChecks(dependencies);
  const checkJobs = new CheckJobs({ ...dependencies, checks });
  const headFollower = new HeadFollower({ ...dependencies, checkJobs });
  const pulls = new Pulls({ ...dependencies, checks, checkJobs, headFollower });
  return {
    services: { pulls, headFollower },
    routes: { api: (app: App) => pullRoutes(app, { pulls, addresses }) },
  };
}
