import type { Accounts } from '../accounts/service.ts';
import type { ArchiveSettings } from '../archives/model.ts';
import type { Archives } from '../archives/service.ts';
import type { CommitTexts } from '../commits/texts.ts';
import type { ContentsReader } from '../contents/read.ts';
import type { Addresses, App } from '../http/app.ts';
import type { Comments } from '../issues/comments/service.ts';
import type { Issues } from '../issues/service.ts';
import type { LargeFiles } from '../lfs/service.ts';
import type { Repositories } from '../repositories/service.ts';
import { accountPages } from './account-pages.ts';
import { issuePages } from './issue-pages.ts';
import { repositoryPages } from './repository-pages.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly reading: ContentsReader;
  readonly archives: Archives;
  readonly archiveSettings: ArchiveSettings;
  readonly commitTexts: CommitTexts;
  readonly largeFiles: LargeFiles;
  readonly issues: Issues;
  readonly comments: Comments;
  readonly addresses: Addresses;
}

export function createWeb(dependencies: Dependencies) {
  return {
    routes: {
      web(app: App) {
        accountPages(app, dependencies);
        issuePages(app, dependencies);
        repositoryPages(app, { ...dependencies, ...dependencies.archiveSettings });
      },
    },
  };
}
