import type { GitStorage } from '../../git/interface/storage.ts';
import type { UnreferencedObjects } from '../../hosting/repositories/refs/unreferenced-objects.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { SignatureVerifier } from '../verification/service.ts';
import { CommitReader } from './commit-reader.ts';
import { FileFinder } from './file-finder.ts';
import { gitDataRoutes } from './routes.ts';
import { GitData } from './service.ts';
import { GitDataWriter } from './write.ts';
import { gitDataWritingRoutes } from './write-routes.ts';

interface Dependencies {
  readonly git: Pick<GitStorage, 'refs' | 'writes' | 'history'>;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly unreferencedObjects: UnreferencedObjects;
  readonly addresses: Addresses;
  readonly verifier: SignatureVerifier;
}

export function createGitData(dependencies: Dependencies) {
  const commits = new CommitReader(dependencies);
  const gitData = new GitData({ ...dependencies, commits });
  const gitDataWriter = new GitDataWriter(dependencies);
  const { addresses } = dependencies;
  return {
    services: { commitReader: commits, fileFinder: new FileFinder() },
    routes: {
      api(app: App) {
        gitDataRoutes(app, { gitData, addresses });
        gitDataWritingRoutes(app, { gitData, gitDataWriter, addresses });
      },
    },
  };
}
