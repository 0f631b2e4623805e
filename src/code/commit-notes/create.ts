import type { GitStorage } from '../../git/interface/storage.ts';
import type { Pushes } from '../../hosting/repositories/refs/pushes.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { LastCommits } from '../contents/last-commits/service.ts';
import type { CommitReader } from '../git-data/commit-reader.ts';
import { commitNoteRoutes } from './routes.ts';
import { CommitNotes } from './service.ts';

interface Dependencies {
  readonly git: Pick<GitStorage, 'refs' | 'writes'>;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly pushes: Pushes;
  readonly commitReader: CommitReader;
  readonly lastCommits: LastCommits;
}

export function createCommitNotes(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const commitNotes = new CommitNotes(dependencies);
  return {
    services: { commitNotes },
    routes: { api: (app: App) => commitNoteRoutes(app, { commitNotes, addresses }) },
  };
}
