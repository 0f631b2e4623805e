import type { GitStorage } from '../../git/interface/storage.ts';
import type { Pushes } from '../../hosting/repositories/refs/pushes.ts';
import type { UnreferencedObjects } from '../../hosting/repositories/refs/unreferenced-objects.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { SignatureVerifier } from '../verification/service.ts';
import { tagRoutes } from './routes.ts';
import { Tags } from './service.ts';

interface Dependencies {
  readonly git: Pick<GitStorage, 'refs' | 'writes'>;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly verifier: SignatureVerifier;
  readonly repositories: Repositories;
  readonly pushes: Pushes;
  readonly unreferencedObjects: UnreferencedObjects;
}

export function createTags(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const tags = new Tags(dependencies);
  return { services: { tags }, routes: { api: (app: App) => tagRoutes(app, { tags, addresses }) } };
}
