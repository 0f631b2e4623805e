import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { StatusOf } from '../../http/errors/wire.ts';
import { TeamAnswer } from '../../people/teams/present.ts';
import { RepositoryAnswer } from '../repositories/present.ts';
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
  const api = operationsOn(app, { tag: 'organization', addresses });
  const pathIn = ({ org, repo }: { org: string; repo: string }) => ({ owner: org, name: repo });

  api.list('/teams/:id/repos', TEAM_REPOSITORIES.listRepositories, {
    id: 'orgListTeamRepos',
    summary: 'List the repositories of a team that you may see',
    answer: RepositoryAnswer,
    handle: ({ viewer, params, paging }) => teamRepositories.list(viewer, params.id, paging),
  });

  api.get('/teams/:id/repos/:org/:repo', TEAM_REPOSITORIES.listRepositories, {
    id: 'orgListTeamRepo',
    summary: 'Get a repository of a team',
    answer: RepositoryAnswer,
    handle: ({ viewer, params }) => teamRepositories.get(viewer, params.id, pathIn(params)),
  });

  api.put('/teams/:id/repos/:org/:repo', TEAM_REPOSITORIES.changeRepositories, {
    id: 'orgAddTeamRepository',
    summary: 'Add a repository to a team',
    handle: ({ viewer, params }) => teamRepositories.add(viewer, params.id, pathIn(params)),
  });

  api.delete('/teams/:id/repos/:org/:repo', TEAM_REPOSITORIES.changeRepositories, {
    id: 'orgRemoveTeamRepository',
    summary: 'Remove a repository from a team; the repository itself stays',
    handle: ({ viewer, params }) => teamRepositories.remove(viewer, params.id, pathIn(params)),
  });
}

/** On this wire, asking a user's repository for its teams is a 405. */
const statusOf: StatusOf = ({ kind }) => (kind === 'conflict' ? 405 : undefined);

function teamsOfRepositories(app: App, { teamRepositories, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  api.list('/repos/:owner/:repo/teams', REPOSITORY_TEAMS.listTeams, {
    id: 'repoListTeams',
    summary: 'List the teams that have a repository',
    failures: ['conflict'],
    statusOf,
    answer: TeamAnswer,
    handle: ({ viewer, path, paging }) => teamRepositories.listTeams(viewer, path, paging),
  });

  api.get('/repos/:owner/:repo/teams/:team', REPOSITORY_TEAMS.listTeams, {
    id: 'repoCheckTeam',
    summary: 'Get a team that has a repository',
    failures: ['conflict'],
    statusOf,
    answer: TeamAnswer,
    handle: ({ viewer, path, params }) => teamRepositories.getTeam(viewer, path, params.team),
  });

  api.put('/repos/:owner/:repo/teams/:team', REPOSITORY_TEAMS.changeTeams, {
    id: 'repoAddTeam',
    summary: 'Add a repository to a team',
    failures: ['already_exists', 'conflict'],
    statusOf,
    handle: ({ viewer, path, params }) => teamRepositories.addTeam(viewer, path, params.team),
  });

  api.delete('/repos/:owner/:repo/teams/:team', REPOSITORY_TEAMS.changeTeams, {
    id: 'repoDeleteTeam',
    summary: 'Remove a repository from a team',
    failures: ['conflict', 'invalid'],
    statusOf,
    handle: ({ viewer, path, params }) => teamRepositories.removeTeam(viewer, path, params.team),
  });
}
