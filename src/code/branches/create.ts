import type { GitStorage } from '../../git/interface/storage.ts';
import type { Pushes } from '../../hosting/repositories/refs/pushes.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Protections } from '../protection/service.ts';
import type { SignatureVerifier } from '../verification/service.ts';
import { BranchReader } from './read.ts';
import { branchRoutes } from './routes.ts';
import { BranchChanges } from './write.ts';

interface Dependencies {
  readonly git: Pick<GitStorage, 'refs' | 'writes' | 'history'>;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly verifier: SignatureVerifier;
  readonly repositories: Repositories;
  readonly pushes: Pushes;
  readonly protections: Protections;
}

export function createBranches(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const branchReader = new BranchReader(dependencies);
  const branchChanges = new BranchChanges(dependencies);
  return {
    services: { branchReader, branchChanges },
    routes: { api: (app: App) => branchRoutes(app, { branchReader, branchChanges, addresses }) },
  };
}
