import type { SignedIn } from '../access/viewer.ts';
import type { Accounts } from '../accounts/service.ts';
import { pagingOf } from '../core/paging.ts';
import type { Addresses, App } from '../http/app.ts';
import { setPagingHeaders } from '../http/paging.ts';
import { NO_CONTENT, reference } from '../http/shapes.ts';
import type { Organizations } from '../organizations/service.ts';
import { ACCOUNT_REPOSITORIES, REPOSITORY } from './actions.ts';
import { assignableRoutes } from './collaborators/assignable-routes.ts';
import { newRepositoryOf } from './creation/options.ts';
import { listOrderOf } from './listing/orders.ts';
import { ownerRoutes } from './owner-routes.ts';
import { presentRepository } from './present.ts';
import {
  CreateRepositoryBody,
  EditRepositoryBody,
  OwnRepositoriesQuery,
  RepositoryIdParams,
  RepositoryList,
  RepositoryParams,
  RepositorySchema,
} from './schema.ts';
import type { Repositories } from './service.ts';
import { repositoryChangeOf } from './settings/options.ts';

const tags = ['repository'];

interface Dependencies {
  readonly repositories: Repositories;
  readonly organizations: Organizations;
  readonly accounts: Accounts;
  readonly addresses: Addresses;
}

export function repositoryRoutes(app: App, dependencies: Dependencies): void {
  const { repositories, addresses } = dependencies;
  ownerRoutes(app, dependencies);
  assignableRoutes(app, dependencies);

  app.post(
    '/user/repos',
    {
      config: { action: ACCOUNT_REPOSITORIES.createRepository },
      schema: {
        tags,
        summary: 'Create a repository',
        body: CreateRepositoryBody,
        response: { 201: reference(RepositorySchema) },
      },
    },
    async (request, reply) => {
      const { wanted, start } = newRepositoryOf(request.body);
      const made = await repositories.create(request.viewer as SignedIn, wanted, start);
      return reply.code(201).send(presentRepository(made, request.viewer, addresses));
    },
  );

  app.get(
    '/user/repos',
    {
      config: { action: ACCOUNT_REPOSITORIES.listRepositories },
      schema: {
        tags,
        summary: 'List the repositories you own or collaborate on',
        querystring: OwnRepositoriesQuery,
        response: { 200: RepositoryList },
      },
    },
    async (request, reply) => {
      const paging = pagingOf(request.query);
      const order = listOrderOf(request.query.order_by);
      const { items, total } = await repositories.listOwn(request.viewer as SignedIn, order, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((held) => presentRepository(held, request.viewer, addresses));
    },
  );

  app.get(
    '/repos/:owner/:repo',
    {
      config: { action: REPOSITORY.read },
      schema: {
        tags,
        summary: 'Get a repository',
        params: RepositoryParams,
        response: { 200: reference(RepositorySchema) },
      },
    },
    async (request) => {
      const { owner, repo } = request.params;
      const held = await repositories.get(request.viewer, { owner, name: repo }, REPOSITORY.read);
      return presentRepository(held, request.viewer, addresses);
    },
  );

  app.get(
    '/repositories/:id',
    {
      config: { action: REPOSITORY.read },
      schema: {
        tags,
        summary: 'Get a repository by its id',
        params: RepositoryIdParams,
        response: { 200: reference(RepositorySchema) },
      },
    },
    async (request) => {
      const held = await repositories.getById(request.viewer, request.params.id, REPOSITORY.read);
      return presentRepository(held, request.viewer, addresses);
    },
  );

  app.patch(
    '/repos/:owner/:repo',
    {
      config: { action: REPOSITORY.edit },
      schema: {
        tags,
        summary: 'Change the settings of a repository; what is not sent stays',
        params: RepositoryParams,
        body: EditRepositoryBody,
        response: { 200: reference(RepositorySchema) },
      },
    },
    async (request) => {
      const { owner, repo } = request.params;
      const viewer = request.viewer as SignedIn;
      const change = repositoryChangeOf(request.body);
      const edited = await repositories.settings.edit(viewer, { owner, name: repo }, change);
      return presentRepository(edited, viewer, addresses);
    },
  );

  app.delete(
    '/repos/:owner/:repo',
    {
      config: { action: REPOSITORY.delete },
      schema: { tags, summary: 'Delete a repository', params: RepositoryParams, response: NO_CONTENT },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      await repositories.delete(request.viewer, { owner, name: repo });
      return reply.code(204).send();
    },
  );
}
