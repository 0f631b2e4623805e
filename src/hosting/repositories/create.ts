import type { Database } from '../../base/database/database.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import type { Templates } from '../templates/service.ts';
import { FutureOwners } from './creation/owners.ts';
import { PushToCreate } from './creation/push-to-create.ts';
import { Pushes } from './refs/pushes.ts';
import { UnreferencedObjects } from './refs/unreferenced-objects.ts';
import { BranchWriter } from './refs/write-branch.ts';
import { repositoryRoutes } from './routes.ts';
import { Repositories } from './service.ts';
import type { SiteRules } from './site-rules.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'writes'>;
  readonly addresses: Addresses;
  readonly siteRules: SiteRules;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly templates: Templates;
}

/** Composes this feature; `creation/create.ts` creates a repository. */
export function createRepositories(dependencies: Dependencies) {
  const pushes = new Pushes(dependencies);
  const unreferencedObjects = new UnreferencedObjects({ ...dependencies, pushes });
  const branches = new BranchWriter({ ...dependencies, pushes });
  const repositories = new Repositories({ ...dependencies, branches });
  const owners = new FutureOwners(dependencies);
  const pushToCreate = new PushToCreate({ ...dependencies, repositories, owners });
  const api = (app: App) => repositoryRoutes(app, { ...dependencies, repositories });
  return {
    services: { pushes, unreferencedObjects, branches, repositories, owners, pushToCreate },
    routes: { api },
  };
}
