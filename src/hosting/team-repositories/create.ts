import type { Addresses, App } from '../../http/app.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import type { Teams } from '../../people/teams/service.ts';
import type { Repositories } from '../repositories/service.ts';
import { teamRepositoryRoutes } from './routes.ts';
import { TeamRepositories } from './service.ts';

interface Dependencies {
  readonly addresses: Addresses;
  readonly organizations: Organizations;
  readonly teams: Teams;
  readonly repositories: Repositories;
}

export function createTeamRepositories(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const teamRepositories = new TeamRepositories(dependencies);
  return {
    services: { teamRepositories },
    routes: { api: (app: App) => teamRepositoryRoutes(app, { teamRepositories, addresses }) },
  };
}
