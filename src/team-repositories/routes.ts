import { Type } from 'typebox';
import { pagingOf } from '../core/paging.ts';
import type { Addresses, App } from '../http/app.ts';
import type { StatusOf } from '../http/errors/wire.ts';
import { PagingQuery, setPagingHeaders } from '../http/paging.ts';
import { NO_CONTENT, reference } from '../http/shapes.ts';
import { presentRepository } from '../repositories/present.ts';
import {
  RepositoryList,
  RepositoryParams,
  RepositorySchema,
  RepositoryTeamParams,
  TeamRepositoryParams,
} from '../repositories/schema.ts';
import { presentTeam } from '../teams/present.ts';
import { TeamList, TeamParams, TeamSchema } from '../teams/schema.ts';
import { REPOSITORY_TEAMS, TEAM_REPOSITORIES } from './actions.ts';
import type { TeamRepositories } from './service.ts';

interface Dependencies {
  readonly teamRepositories: TeamRepositories;
  readonly addresses: Addresses;
}

export function teamRepositoryRoutes(app: App, dependencies: Dependencies): void {
  repositoriesOfTeams(app, dependencies);
  teamsOfRepositories(app, dependencies);
}

function repositoriesOfTeams(app: App, { teamRepositories, addresses }: Dependencies): void {
  const tags = ['organization'];
  const params = TeamRepositoryParams;

  app.get(
    '/teams/:id/repos',
    {
      config: { action: TEAM_REPOSITORIES.listRepositories },
      schema: {
        tags,
        summary: 'List the repositories of a team that you may see',
        params: TeamParams,
        querystring: Type.Object(PagingQuery),
        response: { 200: RepositoryList },
      },
    },
    async (request, reply) => {
      const paging = pagingOf(request.query);
      const { items, total } = await teamRepositories.list(request.viewer, request.params.id, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((held) => presentRepository(held, request.viewer, addresses));
    },
  );

  app.get(
    '/teams/:id/repos/:org/:repo',
    {
      config: { action: TEAM_REPOSITORIES.listRepositories },
      schema: {
        tags,
        summary: 'Get a repository of a team',
        params,
        response: { 200: reference(RepositorySchema) },
      },
    },
    async (request) => {
      const { id, org, repo } = request.params;
      const held = await teamRepositories.get(request.viewer, id, { owner: org, name: repo });
      return presentRepository(held, request.viewer, addresses);
    },
  );

  app.put(
    '/teams/:id/repos/:org/:repo',
    {
      config: { action: TEAM_REPOSITORIES.changeRepositories },
      schema: { tags, summary: 'Give a repository to a team', params, response: NO_CONTENT },
    },
    async (request, reply) => {
      const { id, org, repo } = request.params;
      await teamRepositories.add(request.viewer, id, { owner: org, name: repo });
      return reply.code(204).send();
    },
  );

  app.delete(
    '/teams/:id/repos/:org/:repo',
    {
      config: { action: TEAM_REPOSITORIES.changeRepositories },
      schema: {
        tags,
        summary: 'Take a repository from a team; the repository itself stays',
        params,
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      const { id, org, repo } = request.params;
      await teamRepositories.remove(request.viewer, id, { owner: org, name: repo });
      return reply.code(204).send();
    },
  );
}

/** On this wire, asking a user's repository for its teams is a 405. */
const withoutTeams: StatusOf = ({ kind }) => (kind === 'conflict' ? 405 : undefined);

function teamsOfRepositories(app: App, { teamRepositories, addresses }: Dependencies): void {
  const tags = ['repository'];
  const params = RepositoryTeamParams;

  app.get(
    '/repos/:owner/:repo/teams',
    {
      config: { action: REPOSITORY_TEAMS.listTeams, statusOf: withoutTeams },
      schema: {
        tags,
        summary: 'List the teams that have a repository',
        params: RepositoryParams,
        querystring: Type.Object(PagingQuery),
        response: { 200: TeamList },
      },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      const paging = pagingOf(request.query);
      const { items, total } = await teamRepositories.listTeams(
        request.viewer,
        { owner, name: repo },
        paging,
      );
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((team) => presentTeam(team, null));
    },
  );

  app.get(
    '/repos/:owner/:repo/teams/:team',
    {
      config: { action: REPOSITORY_TEAMS.listTeams, statusOf: withoutTeams },
      schema: {
        tags,
        summary: 'Get a team that has a repository',
        params,
        response: { 200: reference(TeamSchema) },
      },
    },
    async (request) => {
      const { owner, repo, team } = request.params;
      const found = await teamRepositories.getTeam(request.viewer, { owner, name: repo }, team);
      return presentTeam(found, null);
    },
  );

  app.put(
    '/repos/:owner/:repo/teams/:team',
    {
      config: { action: REPOSITORY_TEAMS.changeTeams, statusOf: withoutTeams },
      schema: { tags, summary: 'Give a repository to a team', params, response: NO_CONTENT },
    },
    async (request, reply) => {
      const { owner, repo, team } = request.params;
      await teamRepositories.addTeam(request.viewer, { owner, name: repo }, team);
      return reply.code(204).send();
    },
  );

  app.delete(
    '/repos/:owner/:repo/teams/:team',
    {
      config: { action: REPOSITORY_TEAMS.changeTeams, statusOf: withoutTeams },
      schema: { tags, summary: 'Take a repository from a team', params, response: NO_CONTENT },
    },
    async (request, reply) => {
      const { owner, repo, team } = request.params;
      await teamRepositories.removeTeam(request.viewer, { owner, name: repo }, team);
      return reply.code(204).send();
    },
  );
}
