import type { GitStorage } from '../../git/interface/storage.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import type { ObjectLinks } from '../lfs/links.ts';
import type { Pushes } from '../repositories/refs/pushes.ts';
import type { BranchWriter } from '../repositories/refs/write-branch.ts';
import type { Repositories } from '../repositories/service.ts';
import { forkRoutes } from './routes.ts';
import { Forks } from './service.ts';
import { ForkSync } from './sync.ts';

interface Dependencies {
  readonly git: Pick<GitStorage, 'refs' | 'history'>;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly pushes: Pushes;
  readonly branches: BranchWriter;
  readonly repositories: Repositories;
  readonly objectLinks: ObjectLinks;
}

export function createForks(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const services = { forks: new Forks(dependencies), forkSync: new ForkSync(dependencies) };
  return { services, routes: { api: (app: App) => forkRoutes(app, { ...services, addresses }) } };
}
