import type { GitStorage } from '../../git/interface/storage.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { CommitReader } from '../git-data/commit-reader.ts';
import { Compare } from './compare.ts';
import { DifferenceReader } from './differences.ts';
import { commitRoutes } from './routes.ts';
import { Commits } from './service.ts';
import { CommitTexts } from './texts.ts';

interface Dependencies {
  readonly git: Pick<GitStorage, 'refs' | 'history'>;
  readonly addresses: Addresses;
  readonly repositories: Repositories;
  readonly commitReader: CommitReader;
}

export function createCommits(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const commits = new Commits(dependencies);
  const compare = new Compare({ ...dependencies, commits });
  const commitTexts = new CommitTexts({ ...dependencies, commits, compare });
  return {
    services: { commits, compare, commitTexts, differences: new DifferenceReader(dependencies) },
    routes: { api: (app: App) => commitRoutes(app, { commits, compare, commitTexts, addresses }) },
  };
}
