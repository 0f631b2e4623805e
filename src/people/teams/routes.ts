import { Type } from 'typebox';
import { type Operations, operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Organizations } from '../organizations/service.ts';
import { ACCOUNT_TEAMS, TEAM } from './actions.ts';
import { teamMemberRoutes } from './member-routes.ts';
import { newTeamOf, teamEditOf } from './options.ts';
import { OwnedTeamAnswer, TeamAnswer } from './present.ts';
import { CreateTeamBody, EditTeamBody, TeamSearchSchema } from './schema.ts';
import type { Teams } from './service.ts';

interface Dependencies {
  readonly teams: Teams;
  readonly organizations: Organizations;
  readonly addresses: Addresses;
}

export function teamRoutes(app: App, dependencies: Dependencies): void {
  const api = operationsOn(app, { tag: 'organization', addresses: dependencies.addresses });
  teamListRoutes(api, dependencies);
  oneTeamRoutes(api, dependencies);
  teamMemberRoutes(api, dependencies);
}

function teamListRoutes(api: Operations, { teams, organizations }: Dependencies): void {
  api.list('/orgs/:org/teams', TEAM.list, {
    id: 'orgListTeams',
    summary: 'List the teams of an organization',
    answer: TeamAnswer,
    handle: ({ viewer, params, paging }) =>
      teams.search(viewer, params.org, { words: '', inDescription: false }, paging),
  });

  api.list('/orgs/:org/teams/search', TEAM.list, {
    id: 'teamSearch',
    summary: 'Search for teams of an organization by part of their name',
    query: { q: Type.Optional(Type.String()), include_desc: Type.Optional(Type.Boolean()) },
    answer: TeamAnswer,
    envelope: { shape: TeamSearchSchema, around: (data) => ({ ok: true, data }) },
    handle({ viewer, params, query: { q = '', include_desc: inDescription = false }, paging }) {
      return teams.search(viewer, params.org, { words: q.trim(), inDescription }, paging);
    },
  });

  api.list('/user/teams', ACCOUNT_TEAMS.listTeams, {
    id: 'userListTeams',
    summary: 'List the teams that you are in, each with its organization',
    answer: OwnedTeamAnswer,
    async handle({ viewer, paging }) {
      const { items, total } = await teams.listOwn(viewer, paging);
      const ids = [...new Set(items.map((team) => team.organizationId))];
      const owners = new Map((await organizations.listById(ids)).map((each) => [each.id, each]));
      const owned = items.map((team) => ({ team, organization: owners.get(team.organizationId) ?? null }));
      return { items: owned, total };
    },
  });
}

function oneTeamRoutes(api: Operations, { teams, organizations }: Dependencies): void {
  const ownerOf = async (id: number) => (await organizations.listById([id]))[0] ?? null;

  api.post('/orgs/:org/teams', TEAM.create, {
    id: 'orgCreateTeam',
    summary: 'Create a team',
    body: CreateTeamBody,
    status: 201,
    answer: OwnedTeamAnswer,
    async handle({ viewer, params, body }) {
      const fields = { ...newTeamOf(body), name: body.name };
      const { team, organization } = await teams.create(viewer, params.org, fields);
      return { team, organization: await ownerOf(organization.id) };
    },
  });

  api.get('/teams/:id', TEAM.read, {
    id: 'orgGetTeam',
    summary: 'Get a team',
    answer: OwnedTeamAnswer,
    async handle({ viewer, params }) {
      const { team, organization } = await teams.get(viewer, params.id, TEAM.read);
      return { team, organization: await ownerOf(organization.id) };
    },
  });

  api.patch('/teams/:id', TEAM.edit, {
    id: 'orgEditTeam',
    summary: 'Change a team: fields that you do not send stay as they are',
    body: EditTeamBody,
    answer: TeamAnswer,
    handle: ({ viewer, params, body }) => teams.edit(viewer, params.id, teamEditOf(body)),
  });

  api.delete('/teams/:id', TEAM.delete, {
    id: 'orgDeleteTeam',
    summary: 'Delete a team',
    failures: ['invalid'],
    handle: ({ viewer, params }) => teams.delete(viewer, params.id),
  });
}
