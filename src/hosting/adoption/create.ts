import type { Database } from '../../base/database/database.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Pushes } from '../repositories/refs/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import type { Wikis } from '../wikis/service.ts';
import { adoptionRoutes } from './routes.ts';
import { Adoption } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'unadopted' | 'writes' | 'transfers'>;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly pushes: Pushes;
  readonly wikis: Wikis;
  readonly wikiPushes: Pushes;
  readonly addresses: Addresses;
}

export function createAdoption(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const adoption = new Adoption(dependencies);
  return { routes: { api: (app: App) => adoptionRoutes(app, { adoption, addresses }) } };
}
