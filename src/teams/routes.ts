import { Type } from 'typebox';
import type { SignedIn } from '../access/viewer.ts';
import { pagingOf } from '../core/paging.ts';
import type { Addresses, App } from '../http/app.ts';
import { PagingQuery, setPagingHeaders } from '../http/paging.ts';
import { NO_CONTENT, reference } from '../http/shapes.ts';
import { OrganizationParams } from '../organizations/schema.ts';
import type { Organizations } from '../organizations/service.ts';
import { ACCOUNT_TEAMS, TEAM } from './actions.ts';
import { teamMemberRoutes } from './member-routes.ts';
import { teamEditOf } from './options.ts';
import { presentTeam } from './present.ts';
import {
  CreateTeamBody,
  EditTeamBody,
  TeamList,
  TeamParams,
  TeamSchema,
  TeamSearchSchema,
} from './schema.ts';
import type { Teams } from './service.ts';

interface Dependencies {
  readonly teams: Teams;
  readonly organizations: Organizations;
  readonly addresses: Addresses;
}

const tags = ['organization'];

export function teamRoutes(app: App, dependencies: Dependencies): void {
  teamListRoutes(app, dependencies);
  oneTeamRoutes(app, dependencies);
  teamMemberRoutes(app, dependencies);
}

function teamListRoutes(app: App, { teams, organizations, addresses }: Dependencies): void {
  app.get(
    '/orgs/:org/teams',
    {
      config: { action: TEAM.list },
      schema: {
        tags,
        summary: 'List the teams of an organization',
        params: OrganizationParams,
        querystring: Type.Object(PagingQuery),
        response: { 200: TeamList },
      },
    },
    async (request, reply) => {
      const paging = pagingOf(request.query);
      const all = { words: '', inDescription: false };
      const { items, total } = await teams.search(request.viewer, request.params.org, all, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((team) => presentTeam(team, null));
    },
  );

  app.get(
    '/orgs/:org/teams/search',
    {
      config: { action: TEAM.list },
      schema: {
        tags,
        summary: 'Find teams of an organization by part of their name',
        params: OrganizationParams,
        querystring: Type.Object({
          ...PagingQuery,
          q: Type.Optional(Type.String()),
          include_desc: Type.Optional(Type.Boolean()),
        }),
        response: { 200: TeamSearchSchema },
      },
    },
    async (request, reply) => {
      const { q = '', include_desc: inDescription = false, ...query } = request.query;
      const paging = pagingOf(query);
      const search = { words: q.trim(), inDescription };
      const { items, total } = await teams.search(request.viewer, request.params.org, search, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return { ok: true, data: items.map((team) => presentTeam(team, null)) };
    },
  );

  app.get(
    '/user/teams',
    {
      config: { action: ACCOUNT_TEAMS.listTeams },
      schema: {
        tags,
        summary: 'List the teams you are in, each with its organization',
        querystring: Type.Object(PagingQuery),
        response: { 200: TeamList },
      },
    },
    async (request, reply) => {
      const paging = pagingOf(request.query);
      const { items, total } = await teams.listOwn(request.viewer as SignedIn, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      const ids = [...new Set(items.map((team) => team.organizationId))];
      const owners = new Map((await organizations.listById(ids)).map((each) => [each.id, each]));
      return items.map((team) => presentTeam(team, owners.get(team.organizationId) ?? null));
    },
  );
}

function oneTeamRoutes(app: App, { teams, organizations }: Dependencies): void {
  const ownerOf = async (id: number) => (await organizations.listById([id]))[0] ?? null;

  app.post(
    '/orgs/:org/teams',
    {
      config: { action: TEAM.create },
      schema: {
        tags,
        summary: 'Create a team',
        params: OrganizationParams,
        body: CreateTeamBody,
        response: { 201: reference(TeamSchema) },
      },
    },
    async (request, reply) => {
      const wanted = { ...teamEditOf(request.body), name: request.body.name };
      const { team, organization } = await teams.create(request.viewer, request.params.org, wanted);
      return reply.code(201).send(presentTeam(team, await ownerOf(organization.id)));
    },
  );

  app.get(
    '/teams/:id',
    {
      config: { action: TEAM.read },
      schema: { tags, summary: 'Get a team', params: TeamParams, response: { 200: reference(TeamSchema) } },
    },
    async (request) => {
      const { team, organization } = await teams.get(request.viewer, request.params.id, TEAM.read);
      return presentTeam(team, await ownerOf(organization.id));
    },
  );

  app.patch(
    '/teams/:id',
    {
      config: { action: TEAM.edit },
      schema: {
        tags,
        summary: 'Change a team: what is sent takes the place of what was there',
        params: TeamParams,
        body: EditTeamBody,
        response: { 200: reference(TeamSchema) },
      },
    },
    async (request) => {
      const edited = await teams.edit(request.viewer, request.params.id, teamEditOf(request.body));
      return presentTeam(edited, null);
    },
  );

  app.delete(
    '/teams/:id',
    {
      config: { action: TEAM.delete },
      schema: { tags, summary: 'Delete a team', params: TeamParams, response: NO_CONTENT },
    },
    async (request, reply) => {
      await teams.delete(request.viewer, request.params.id);
      return reply.code(204).send();
    },
  );
}
