import { type Operations, operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { ACCOUNT_REPOSITORIES, REPOSITORY } from './actions.ts';
import { collaboratorRoutes } from './collaborators/routes.ts';
import { newRepositoryOf } from './creation/options.ts';
import { listOrderOf } from './listing/orders.ts';
import { ownerRoutes } from './owner-routes.ts';
import { RepositoryAnswer } from './present.ts';
import { CreateRepositoryBody, EditRepositoryBody, OwnRepositoriesQuery } from './schema.ts';
import type { Repositories } from './service.ts';
import { repositoryChangeOf } from './settings/options.ts';

interface Dependencies {
  readonly repositories: Repositories;
  readonly organizations: Organizations;
  readonly accounts: Accounts;
  readonly addresses: Addresses;
}

export function repositoryRoutes(app: App, dependencies: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses: dependencies.addresses });
  ownRepositoryRoutes(api, dependencies);
  ownerRoutes(app, dependencies);
  oneRepositoryRoutes(api, dependencies);
  collaboratorRoutes(api, dependencies);
}

function ownRepositoryRoutes(api: Operations, { repositories }: Dependencies): void {
  api.post('/user/repos', ACCOUNT_REPOSITORIES.createRepository, {
    id: 'createCurrentUserRepo',
    summary: 'Create a repository',
    failures: ['bad_request', 'conflict'],
    body: CreateRepositoryBody,
    status: 201,
    answer: RepositoryAnswer,
    handle({ viewer, body }) {
      const { wanted, start } = newRepositoryOf(body);
      return repositories.create(viewer, wanted, start);
    },
  });

  api.list('/user/repos', ACCOUNT_REPOSITORIES.listRepositories, {
    id: 'userCurrentListRepos',
    summary: 'List the repositories that you own or collaborate on',
    failures: ['invalid'],
    query: OwnRepositoriesQuery,
    answer: RepositoryAnswer,
    async handle({ viewer, query, paging }) {
      const of = { accountId: viewer.accountId, part: 'both' } as const;
      const order = listOrderOf(query.order_by);
      return repositories.lists.select(viewer, { of, order }, paging);
    },
  });
}

function oneRepositoryRoutes(api: Operations, { repositories }: Dependencies): void {
  api.get('/repos/:owner/:repo', REPOSITORY.read, {
    id: 'repoGet',
    summary: 'Get a repository',
    answer: RepositoryAnswer,
    handle: ({ viewer, path }) => repositories.get(viewer, path, REPOSITORY.read),
  });

  api.get('/repositories/:id', REPOSITORY.read, {
    id: 'repoGetByID',
    summary: 'Get a repository by its id',
    answer: RepositoryAnswer,
    handle: ({ viewer, params }) => repositories.getById(viewer, params.id, REPOSITORY.read),
  });

  api.patch('/repos/:owner/:repo', REPOSITORY.edit, {
    id: 'repoEdit',
    summary: 'Change the settings of a repository: fields that you do not send stay as they are',
    body: EditRepositoryBody,
    answer: RepositoryAnswer,
    handle: ({ viewer, path, body }) => repositories.settings.edit(viewer, path, repositoryChangeOf(body)),
  });

  api.delete('/repos/:owner/:repo', REPOSITORY.delete, {
    id: 'repoDelete',
    summary: 'Delete a repository',
    handle: ({ viewer, path }) => repositories.delete(viewer, path),
  });
}
