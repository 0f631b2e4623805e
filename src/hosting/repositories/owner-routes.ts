import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { ACCOUNT_REPOSITORIES, ORGANIZATION_REPOSITORIES, SITE_REPOSITORIES } from './actions.ts';
import { newRepositoryOf } from './creation/options.ts';
import { RepositoryAnswer } from './present.ts';
import { CreateRepositoryBody } from './schema.ts';
import type { Repositories } from './service.ts';

interface Dependencies {
  readonly repositories: Repositories;
  readonly organizations: Organizations;
  readonly accounts: Accounts;
  readonly addresses: Addresses;
}

/** Repositories of an owner. */
export function ownerRoutes(app: App, dependencies: Dependencies): void {
  organizationRoutes(app, dependencies);
  userRoutes(app, dependencies);
}

function organizationRoutes(app: App, { repositories, organizations, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'organization', addresses });
  const { listRepositories } = ORGANIZATION_REPOSITORIES;

  api.list('/orgs/:org/repos', ORGANIZATION_REPOSITORIES.listRepositories, {
    id: 'orgListRepos',
    summary: 'List the repositories of an organization that you may see',
    answer: RepositoryAnswer,
    async handle({ viewer, params, paging }) {
      const { organization } = await organizations.get(viewer, params.org, listRepositories);
      return repositories.lists.ofOwner(viewer, organization.id, paging);
    },
  });

  for (const url of ['/orgs/:org/repos', '/org/:org/repos'] as const) {
    const deprecated = url === '/org/:org/repos';
    const hint = deprecated ? ': use /orgs/{org}/repos' : '';
    api.post(url, ORGANIZATION_REPOSITORIES.createRepository, {
      id: deprecated ? 'createOrgRepoDeprecated' : 'createOrgRepo',
      summary: `Create a repository in an organization${hint}`,
      failures: ['bad_request', 'conflict'],
      deprecated,
      body: CreateRepositoryBody,
      status: 201,
      answer: RepositoryAnswer,
      async handle({ viewer, params, body }) {
        const owner = await organizations.getForNewRepository(viewer, params.org);
        const { wanted, start } = newRepositoryOf(body);
        return repositories.createFor({ viewer, owner, wanted }, start);
      },
    });
  }
}

function userRoutes(app: App, { repositories, accounts, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'user', addresses });
  const adminApi = operationsOn(app, { tag: 'admin', addresses });

  api.list('/users/:username/repos', ACCOUNT_REPOSITORIES.listRepositoriesOf, {
    id: 'userListRepos',
    summary: 'List the repositories of a user that you may see',
    answer: RepositoryAnswer,
    async handle({ viewer, params, paging }) {
      const { id } = await accounts.getByName(viewer, params.username);
      return repositories.lists.ofOwner(viewer, id, paging);
    },
  });

  adminApi.post('/admin/users/:username/repos', SITE_REPOSITORIES.createRepository, {
    id: 'adminCreateRepo',
    summary: 'Create a repository for a user or an organization',
    failures: ['bad_request', 'conflict'],
    body: CreateRepositoryBody,
    status: 201,
    answer: RepositoryAnswer,
    async handle({ viewer, params, body }) {
      const owner = await accounts.getByName(viewer, params.username);
      const { wanted, start } = newRepositoryOf(body);
      return repositories.createFor({ viewer, owner, wanted }, start);
    },
  });
}
