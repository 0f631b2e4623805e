import { Type } from 'typebox';
import { presentUser } from '../../accounts/present.ts';
import { UserSchema } from '../../accounts/schema.ts';
import { pagingOf } from '../../core/paging.ts';
import type { Addresses, App } from '../../http/app.ts';
import { PagingQuery, setPagingHeaders } from '../../http/paging.ts';
import { NO_CONTENT, reference } from '../../http/shapes.ts';
import { COLLABORATOR } from '../actions.ts';
import { collaborationLevelOf } from '../creation/options.ts';

const tags = ['repository'];

import {
  AddCollaboratorBody,
  CollaboratorParams,
  CollaboratorPermissionSchema,
  RepositoryParams,
} from '../schema.ts';
import type { Repositories } from '../service.ts';

export function collaboratorRoutes(
  app: App,
  dependencies: { repositories: Repositories; addresses: Addresses },
): void {
  const { repositories, addresses } = dependencies;

  app.get(
    '/repos/:owner/:repo/collaborators',
    {
      config: { action: COLLABORATOR.list },
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
      config: { action: COLLABORATOR.list },
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
      config: { action: COLLABORATOR.readPermission },
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
      config: { action: COLLABORATOR.change },
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
      config: { action: COLLABORATOR.change },
      schema: { tags, summary: 'Take a collaborator away', params: CollaboratorParams, response: NO_CONTENT },
    },
    async (request, reply) => {
      const { owner, repo, collaborator } = request.params;
      await repositories.collaborators.remove(request.viewer, { owner, name: repo }, collaborator);
      return reply.code(204).send();
    },
  );
}
