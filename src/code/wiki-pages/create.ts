import type { GitStorage } from '../../git/interface/storage.ts';
import type { BranchWriter } from '../../hosting/repositories/refs/write-branch.ts';
import type { Wikis } from '../../hosting/wikis/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { LastCommits } from '../contents/last-commits/service.ts';
import { WikiReader } from './read.ts';
import { wikiRoutes } from './routes.ts';
import { WikiWriter } from './write.ts';

interface Dependencies {
  readonly git: Pick<GitStorage, 'refs' | 'history'>;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly wikis: Wikis;
  readonly wikiBranches: BranchWriter;
  readonly lastCommits: LastCommits;
}

export function createWikiPages(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const wikiReader = new WikiReader(dependencies);
  const wikiWriter = new WikiWriter({ ...dependencies, wikiReader });
  return {
    services: { wikiReader, wikiWriter },
    routes: { api: (app: App) => wikiRoutes(app, { wikiReader, wikiWriter, addresses }) },
  };
}
