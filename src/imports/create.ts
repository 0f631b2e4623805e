import type { Accounts } from '../accounts/service.ts';
import type { IssueStaging } from '../issues/staging/service.ts';
import type { LargeFiles } from '../lfs/service.ts';
import type { RepositoryCopies } from '../mirrors/copy-repository.ts';
import type { Organizations } from '../organizations/service.ts';
import type { OutboundClient } from '../outbound/client.ts';
import type { Repositories } from '../repositories/service.ts';
import type { TeamRepositories } from '../team-repositories/service.ts';
import type { Teams } from '../teams/service.ts';
import type { Topics } from '../topics/service.ts';
import { RepositoryImports } from './service.ts';
import { SiteImports } from './site/service.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly teams: Teams;
  readonly teamRepositories: TeamRepositories;
  readonly repositories: Repositories;
  readonly largeFiles: LargeFiles;
  readonly repositoryCopies: RepositoryCopies;
  readonly outbound: OutboundClient;
  readonly topics: Topics;
  readonly issueStaging: IssueStaging;
}

/** Composes imports from servers of this API's family. */
export function createImports(dependencies: Dependencies) {
  return {
    services: {
      repositoryImports: new RepositoryImports(dependencies),
      siteImports: new SiteImports(dependencies),
    },
  };
}
