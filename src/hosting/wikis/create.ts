import type { Database } from '../../base/database/database.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import { Pushes } from '../repositories/refs/pushes.ts';
import { BranchWriter } from '../repositories/refs/write-branch.ts';
import type { Repositories } from '../repositories/service.ts';
import { Wikis } from './service.ts';
import { WikiRows } from './wiki-rows.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'writes'>;
  readonly repositories: Repositories;
}

/** Composes the git repositories of wikis. `code/wiki-pages/` has their pages. */
export function createWikis(dependencies: Dependencies) {
  const wikiPushes = new Pushes({ ...dependencies, rows: new WikiRows(dependencies) });
  const wikiBranches = new BranchWriter({ ...dependencies, pushes: wikiPushes });
  const wikis = new Wikis({ ...dependencies, wikiPushes });
  return { services: { wikiPushes, wikiBranches, wikis } };
}
