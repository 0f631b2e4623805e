import { Type } from 'typebox';
import { presentUser } from '../accounts/present.ts';
import { UserSchema } from '../accounts/schema.ts';
import { pagingOf } from '../core/paging.ts';
import type { Addresses, App } from '../http/app.ts';
import { PagingQuery, setPagingHeaders } from '../http/paging.ts';
import { NO_CONTENT, noBody, reference } from '../http/shapes.ts';
import { ORGANIZATION } from './actions.ts';
import { OrganizationMemberParams, OrganizationParams } from './schema.ts';
import type { Organizations } from './service.ts';

interface Dependencies {
  readonly organizations: Organizations;
  readonly addresses: Addresses;
}

const tags = ['organization'];

export function memberRoutes(app: App, dependencies: Dependencies): void {
  memberListRoutes(app, dependencies);
  membershipRoutes(app, dependencies);
}

function memberListRoutes(app: App, { organizations, addresses }: Dependencies): void {
  const { members } = organizations;
  const querystring = Type.Object(PagingQuery);
  const response = { 200: Type.Array(reference(UserSchema)) };

  app.get(
    '/orgs/:org/members',
    {
      config: { action: ORGANIZATION.listMembers },
      schema: {
        tags,
        summary: 'List members: all of them for members, else those who show it',
        params: OrganizationParams,
        querystring,
        response,
      },
    },
    async (request, reply) => {
      const paging = pagingOf(request.query);
      const { items, total } = await members.list(request.viewer, request.params.org, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((account) => presentUser(account, request.viewer, addresses));
    },
  );

  app.get(
    '/orgs/:org/public_members',
    {
      config: { action: ORGANIZATION.listMembers },
      schema: {
        tags,
        summary: 'List the members who show it to everybody',
        params: OrganizationParams,
        querystring,
        response,
      },
    },
    async (request, reply) => {
      const paging = pagingOf(request.query);
      const { items, total } = await members.listPublic(request.viewer, request.params.org, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((account) => presentUser(account, request.viewer, addresses));
    },
  );
}

function membershipRoutes(app: App, { organizations, addresses }: Dependencies): void {
  const { members } = organizations;
  const params = OrganizationMemberParams;

  app.get(
    '/orgs/:org/members/:username',
    {
      config: { action: ORGANIZATION.listMembers },
      schema: {
        tags,
        summary:
          'Check whether somebody is a member: 204 or 404; who is none is sent on to those who show it',
        params,
        response: { ...NO_CONTENT, 303: noBody('Ask whether it is shown') },
      },
    },
    async (request, reply) => {
      const { org, username } = request.params;
      if ((await members.requireMember(request.viewer, org, username)) === 'member') {
        return reply.code(204).send();
      }
      const path = `/orgs/${encodeURIComponent(org)}/public_members/${encodeURIComponent(username)}`;
      return reply.code(303).header('location', `${addresses.apiRoot}${path}`).send();
    },
  );

  app.delete(
    '/orgs/:org/members/:username',
    {
      config: { action: ORGANIZATION.removeMember },
      schema: {
        tags,
        summary: 'Take somebody out of the organization and all its teams',
        params,
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      await members.remove(request.viewer, request.params.org, request.params.username);
      return reply.code(204).send();
    },
  );

  app.get(
    '/orgs/:org/public_members/:username',
    {
      config: { action: ORGANIZATION.listMembers },
      schema: {
        tags,
        summary: 'Check whether somebody is a member and shows it: 204 or 404',
        params,
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      await members.requirePublicMember(request.viewer, request.params.org, request.params.username);
      return reply.code(204).send();
    },
  );

  app.put(
    '/orgs/:org/public_members/:username',
    {
      config: { action: ORGANIZATION.showOwnMembership },
      schema: { tags, summary: 'Show your own membership to everybody', params, response: NO_CONTENT },
    },
    async (request, reply) => {
      await members.show(request.viewer, request.params.org, request.params.username, true);
      return reply.code(204).send();
    },
  );

  app.delete(
    '/orgs/:org/public_members/:username',
    {
      config: { action: ORGANIZATION.showOwnMembership },
      schema: { tags, summary: 'Show your own membership to members alone', params, response: NO_CONTENT },
    },
    async (request, reply) => {
      await members.show(request.viewer, request.params.org, request.params.username, false);
      return reply.code(204).send();
    },
  );
}
