import type { GitStorage } from '../../git/interface/storage.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { ObjectLinks } from '../lfs/links.ts';
import type { FutureOwners } from '../repositories/creation/owners.ts';
import type { Repositories } from '../repositories/service.ts';
import { TemplateRepositories } from './generate.ts';
import { generateRoutes } from './routes.ts';

interface Dependencies {
  readonly git: Pick<GitStorage, 'refs'>;
  readonly addresses: Addresses;
  readonly repositories: Repositories;
  readonly owners: FutureOwners;
  readonly objectLinks: ObjectLinks;
}

export function createTemplateRepositories(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const templateRepositories = new TemplateRepositories(dependencies);
  return {
    services: { templateRepositories },
    routes: { api: (app: App) => generateRoutes(app, { templateRepositories, addresses }) },
  };
}
