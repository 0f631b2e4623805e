import type { Accounts } from '../accounts/service.ts';
import type { GitStorage } from '../git/model.ts';
import type { Addresses, App } from '../http/app.ts';
import type { Repositories } from '../repositories/service.ts';
import { CommitReader } from './commit-reader.ts';
import { gitDataRoutes } from './routes.ts';
import { GitData } from './service.ts';

interface Dependencies {
  readonly git: GitStorage;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly addresses: Addresses;
}

export function createGitData(dependencies: Dependencies) {
  const commits = new CommitReader(dependencies);
  const gitData = new GitData({ ...dependencies, commits });
  const { addresses } = dependencies;
  return {
    services: { commitReader: commits },
    routes: { api: (app: App) => gitDataRoutes(app, { gitData, addresses }) },
  };
}
