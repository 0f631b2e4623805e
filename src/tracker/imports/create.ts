import type { OutboundClient } from '../../base/outbound/client.ts';
import type { LargeFiles } from '../../hosting/lfs/service.ts';
import type { RepositoryCopies } from '../../hosting/mirrors/copy-repository.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { TeamRepositories } from '../../hosting/team-repositories/service.ts';
import type { Topics } from '../../hosting/topics/service.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import type { Teams } from '../../people/teams/service.ts';
import type { IssueStaging } from '../issues/staging/service.ts';
import type { PullStaging } from '../pulls/staging/service.ts';
import type { ReleaseStaging } from '../releases/staging.ts';
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
  readonly pullStaging: PullStaging;
  readonly releaseStaging: ReleaseStaging;
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
