import type { GitStorage } from '../../git/interface/storage.ts';
import type { Pushes } from '../../hosting/repositories/refs/pushes.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import { refRoutes } from './routes.ts';
import { Refs } from './service.ts';

interface Dependencies {
  readonly git: Pick<GitStorage, 'refs' | 'writes'>;
  readonly addresses: Addresses;
  readonly repositories: Repositories;
  readonly pushes: Pushes;
}

export function createRefs(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const refs = new Refs(dependencies);
  return { routes: { api: (app: App) => refRoutes(app, { refs, addresses }) } };
}
