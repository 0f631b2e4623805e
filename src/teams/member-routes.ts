import { Type } from 'typebox';
import { presentUser } from '../accounts/present.ts';
import { UserSchema } from '../accounts/schema.ts';
import { pagingOf } from '../core/paging.ts';
import type { Addresses, App } from '../http/app.ts';
import { PagingQuery, setPagingHeaders } from '../http/paging.ts';
import { NO_CONTENT, reference } from '../http/shapes.ts';
import { TEAM } from './actions.ts';
import { TeamMemberParams, TeamParams } from './schema.ts';
import type { Teams } from './service.ts';

const tags = ['organization'];

export function teamMemberRoutes(
  app: App,
  { teams: { members }, addresses }: { teams: Teams; addresses: Addresses },
): void {
  app.get(
    '/teams/:id/members',
    {
      config: { action: TEAM.listMembers },
      schema: {
        tags,
        summary: 'List the members of a team',
        params: TeamParams,
        querystring: Type.Object(PagingQuery),
        response: { 200: Type.Array(reference(UserSchema)) },
      },
    },
    async (request, reply) => {
      const paging = pagingOf(request.query);
      const { items, total } = await members.list(request.viewer, request.params.id, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((account) => presentUser(account, request.viewer, addresses));
    },
  );

  app.get(
    '/teams/:id/members/:username',
    {
      config: { action: TEAM.listMembers },
      schema: {
        tags,
        summary: 'Get a member of a team',
        params: TeamMemberParams,
        response: { 200: reference(UserSchema) },
      },
    },
    async (request) => {
      const { id, username } = request.params;
      const account = await members.getMember(request.viewer, id, username);
      return presentUser(account, request.viewer, addresses);
    },
  );

  app.put(
    '/teams/:id/members/:username',
    {
      config: { action: TEAM.changeMembers },
      schema: { tags, summary: 'Add somebody to a team', params: TeamMemberParams, response: NO_CONTENT },
    },
    async (request, reply) => {
      await members.add(request.viewer, request.params.id, request.params.username);
      return reply.code(204).send();
    },
  );

  app.delete(
    '/teams/:id/members/:username',
    {
      config: { action: TEAM.changeMembers },
      schema: {
        tags,
        summary: 'Take somebody out of a team',
        params: TeamMemberParams,
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      await members.remove(request.viewer, request.params.id, request.params.username);
      return reply.code(204).send();
    },
  );
}
