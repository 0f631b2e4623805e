import { Type } from 'typebox';
import type { SignedIn } from '../access/viewer.ts';
import { presentUser } from '../accounts/present.ts';
import { UserSchema } from '../accounts/schema.ts';
import type { Accounts } from '../accounts/service.ts';
import { pagingOf } from '../core/paging.ts';
import type { Addresses, App } from '../http/app.ts';
import { PagingQuery, setPagingHeaders } from '../http/paging.ts';
import { NO_CONTENT, reference, shareShapes } from '../http/shapes.ts';
import type { Organizations } from '../organizations/service.ts';
import { assignableRoutes } from './assignable-routes.ts';
import { repositoryChangeOf } from './edit-options.ts';
import { generateRoutes } from './generate-routes.ts';
import type { Generating } from './generating.ts';
import { listOrderOf } from './list-orders.ts';
import { collaborationLevelOf, newRepositoryOf } from './options.ts';
import { ownerRoutes } from './owner-routes.ts';
import { presentRepository } from './present.ts';
import {
  AddCollaboratorBody,
  CollaboratorParams,
  CollaboratorPermissionSchema,
  CreateRepositoryBody,
  EditRepositoryBody,
  OwnRepositoriesQuery,
  REPOSITORY_SHAPES,
  RepositoryIdParams,
  RepositoryList,
  RepositoryParams,
  RepositorySchema,
} from './schema.ts';
import type { Repositories } from './service.ts';
import type { TeamRepositories } from './team-repositories.ts';
import { teamRepositoryRoutes } from './team-routes.ts';

const tags = ['repository'];

interface Dependencies {
  readonly repositories: Repositories;
  readonly generating: Generating;
  readonly teamRepositories: TeamRepositories;
  readonly organizations: Organizations;
  readonly accounts: Accounts;
  readonly addresses: Addresses;
}

export function repositoryRoutes(app: App, dependencies: Dependencies): void {
  const { repositories, addresses } = dependencies;
  shareShapes(app, REPOSITORY_SHAPES);
  ownerRoutes(app, dependencies);
  teamRepositoryRoutes(app, dependencies);
  assignableRoutes(app, dependencies);
  generateRoutes(app, dependencies);

  app.post(
    '/user/repos',
    {
      config: { action: 'account.create-repository' },
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
      config: { action: 'account.list-repositories' },
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
      config: { action: 'repository.read' },
      schema: {
        tags,
        summary: 'Get a repository',
        params: RepositoryParams,
        response: { 200: reference(RepositorySchema) },
      },
    },
    async (request) => {
      const { owner, repo } = request.params;
      const held = await repositories.get(request.viewer, { owner, name: repo }, 'repository.read');
      return presentRepository(held, request.viewer, addresses);
    },
  );

  app.get(
    '/repositories/:id',
    {
      config: { action: 'repository.read' },
      schema: {
        tags,
        summary: 'Get a repository by its id',
        params: RepositoryIdParams,
        response: { 200: reference(RepositorySchema) },
      },
    },
    async (request) => {
      const held = await repositories.getById(request.viewer, request.params.id, 'repository.read');
      return presentRepository(held, request.viewer, addresses);
    },
  );

  app.patch(
    '/repos/:owner/:repo',
    {
      config: { action: 'repository.edit' },
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
      const edited = await repositories.editing.edit(viewer, { owner, name: repo }, change);
      return presentRepository(edited, viewer, addresses);
    },
  );

  app.delete(
    '/repos/:owner/:repo',
    {
      config: { action: 'repository.delete' },
      schema: { tags, summary: 'Delete a repository', params: RepositoryParams, response: NO_CONTENT },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      await repositories.delete(request.viewer, { owner, name: repo });
      return reply.code(204).send();
    },
  );
}

export function collaboratorRoutes(
  app: App,
  dependencies: { repositories: Repositories; addresses: Addresses },
): void {
  const { repositories, addresses } = dependencies;
  shareShapes(app, REPOSITORY_SHAPES);

  app.get(
    '/repos/:owner/:repo/collaborators',
    {
      config: { action: 'collaborator.list' },
      schema: {
        tags,
        summary: 'List the collaborators of a repository',
        params: RepositoryParams,
        querystring: Type.Object(PagingQuery),
        response: { 200: Type.Array(reference(UserSchema)) },
      },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      const paging = pagingOf(request.query);
      const { items, total } = await repositories.collaborators.list(
        request.viewer,
        { owner, name: repo },
        paging,
      );
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((collaborator) => presentUser(collaborator.account, request.viewer, addresses));
    },
  );

  app.get(
    '/repos/:owner/:repo/collaborators/:collaborator',
    {
      config: { action: 'collaborator.list' },
      schema: {
        tags,
        summary: 'Check whether somebody is a collaborator: 204 or 404',
        params: CollaboratorParams,
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      const { owner, repo, collaborator } = request.params;
      await repositories.collaborators.getLevel(request.viewer, { owner, name: repo }, collaborator);
      return reply.code(204).send();
    },
  );

  app.get(
    '/repos/:owner/:repo/collaborators/:collaborator/permission',
    {
      config: { action: 'collaborator.read-permission' },
      schema: {
        tags,
        summary: 'Get what somebody may do with a repository, by whatever way',
        params: CollaboratorParams,
        response: { 200: CollaboratorPermissionSchema },
      },
    },
    async (request) => {
      const { owner, repo, collaborator } = request.params;
      const path = { owner, name: repo };
      const { account, level } = await repositories.collaborators.getHeld(request.viewer, path, collaborator);
      const user = presentUser(account, request.viewer, addresses);
      return { permission: level, role_name: level, user };
    },
  );

  app.put(
    '/repos/:owner/:repo/collaborators/:collaborator',
    {
      config: { action: 'collaborator.change' },
      schema: {
        tags,
        summary: 'Make somebody a collaborator, or change what a collaborator may do',
        params: CollaboratorParams,
        body: AddCollaboratorBody,
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      const { owner, repo, collaborator } = request.params;
      const level = collaborationLevelOf(request.body.permission);
      await repositories.collaborators.set(request.viewer, { owner, name: repo }, collaborator, level);
      return reply.code(204).send();
    },
  );

  app.delete(
    '/repos/:owner/:repo/collaborators/:collaborator',
    {
      config: { action: 'collaborator.change' },
      schema: { tags, summary: 'Take a collaborator away', params: CollaboratorParams, response: NO_CONTENT },
    },
    async (request, reply) => {
      const { owner, repo, collaborator } = request.params;
      await repositories.collaborators.remove(request.viewer, { owner, name: repo }, collaborator);
      return reply.code(204).send();
    },
  );
}
