import { reaches } from '../../api/access/levels.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import { conflict, ForgeError, forbidden, invalid, notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { TEAM } from '../../people/teams/actions.ts';
import type { PermittedTeam, Team } from '../../people/teams/model.ts';
import type { Teams } from '../../people/teams/service.ts';
import { REPOSITORY } from '../repositories/actions.ts';
import type { PermittedRepository, RepositoryPath } from '../repositories/model.ts';
import type { Repositories } from '../repositories/service.ts';
import { REPOSITORY_TEAMS, TEAM_REPOSITORIES } from './actions.ts';

interface Dependencies {
  readonly repositories: Repositories;
  readonly organizations: Organizations;
  readonly teams: Teams;
}

/** The repositories of teams, and the teams of repositories. */
export class TeamRepositories {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Lists the repositories of a team that the viewer may see. */
  async list(viewer: Viewer, teamId: number, paging: Paging): Promise<Page<PermittedRepository>> {
    const { team } = await this.#use.teams.get(viewer, teamId, TEAM_REPOSITORIES.listRepositories);
    return this.#use.repositories.lists.select(viewer, { teamId: team.id }, paging);
  }

  /** @throws ForgeError `not_found` if the team does not have it, or it has another owner */
  async get(viewer: Viewer, teamId: number, path: RepositoryPath): Promise<PermittedRepository> {
    const permitted = await this.#use.teams.get(viewer, teamId, TEAM_REPOSITORIES.listRepositories);
    requireSameOwner(permitted, path);
    const found = await this.#use.repositories.get(viewer, pathIn(permitted, path), REPOSITORY.read);
    if (!(await this.#use.teams.repositories.has(permitted.team, found.repository.id)))
      throw notFound('repository');
    return found;
  }

  /**
   * Adds a repository to a team. The viewer must be in the team and administer the repository, even if the team has
   * level admin: the owners of the organization trust its members that far.
   *
   * @throws ForgeError as `get`; `forbidden` if the viewer does not administer the repository
   */
  async add(viewer: Viewer, teamId: number, path: RepositoryPath): Promise<void> {
    const { team, found } = await this.#forChange(viewer, teamId, path);
    await this.#use.teams.repositories.add(team, found.repository.id, viewer.accountId);
  }

  /** Removes a repository from a team. Does not delete the repository. */
  async remove(viewer: Viewer, teamId: number, path: RepositoryPath): Promise<void> {
    const { team, found } = await this.#forChange(viewer, teamId, path);
    await this.#use.teams.repositories.remove(team, found.repository.id, viewer.accountId);
  }

  async #forChange(
    viewer: Viewer,
    teamId: number,
    path: RepositoryPath,
  ): Promise<{ team: Team; found: PermittedRepository }> {
    const permitted = await this.#use.teams.get(viewer, teamId, TEAM_REPOSITORIES.changeRepositories);
    requireSameOwner(permitted, path);
    const found = await this.#use.repositories.get(
      viewer,
      pathIn(permitted, path),
      REPOSITORY_TEAMS.changeTeams,
    );
    return { team: permitted.team, found };
  }

  /** Lists the teams of a repository, for members of the organization and administrators of the repository. */
  async listTeams(viewer: Viewer, path: RepositoryPath, paging: Paging): Promise<Page<Team>> {
    const { repository } = await this.#seeingTeams(viewer, path);
    return this.#use.teams.repositories.listTeams(
      { id: repository.id, ownerId: repository.owner.id },
      paging,
    );
  }

  /** @throws ForgeError as `listTeams`, and `not_found` if the team does not have the repository */
  async getTeam(viewer: Viewer, path: RepositoryPath, teamName: string): Promise<Team> {
    const { repository } = await this.#seeingTeams(viewer, path);
    const team = await this.#use.teams.repositories.findTeam(repository.owner.id, teamName);
    if (team === undefined || !(await this.#use.teams.repositories.has(team, repository.id)))
      throw notFound('team');
    return team;
  }

  async #seeingTeams(viewer: Viewer, path: RepositoryPath): Promise<PermittedRepository> {
    const permitted = await this.#use.repositories.get(viewer, path, REPOSITORY_TEAMS.listTeams);
    requireOrganization(permitted);
    if (!reaches(permitted.level, 'admin')) {
      await this.#use.organizations.get(viewer, permitted.repository.owner.name, TEAM.list);
    }
    return permitted;
  }

  /** @throws ForgeError `already_exists` if the team has it, and as `#changingTeams` */
  async addTeam(viewer: Viewer, path: RepositoryPath, teamName: string): Promise<void> {
    const { permitted, team } = await this.#changingTeams(viewer, path, teamName);
    requireMayGiveLevel(permitted, team);
    if (await this.#use.teams.repositories.has(team, permitted.repository.id)) {
      throw new ForgeError({ kind: 'already_exists', what: 'the team has this repository already' });
    }
    await this.#use.teams.repositories.add(team, permitted.repository.id, viewer.accountId);
  }

  /** @throws ForgeError `invalid` if the team does not have it, and as `#changingTeams` */
  async removeTeam(viewer: Viewer, path: RepositoryPath, teamName: string): Promise<void> {
    const { permitted, team } = await this.#changingTeams(viewer, path, teamName);
    if (!(await this.#use.teams.repositories.has(team, permitted.repository.id)))
      throw invalid('the team does not have this repository');
    await this.#use.teams.repositories.remove(team, permitted.repository.id, viewer.accountId);
  }

  /** @throws ForgeError as the lookup, `conflict` for a user's repository, `forbidden`, `not_found` */
  async #changingTeams(
    viewer: Viewer,
    path: RepositoryPath,
    teamName: string,
  ): Promise<{ permitted: PermittedRepository; team: Team }> {
    const permitted = await this.#use.repositories.get(viewer, path, REPOSITORY_TEAMS.changeTeams);
    requireOrganization(permitted);
    const ownerId = permitted.repository.owner.id;
    const [organization] = await this.#use.organizations.listById([ownerId]);
    if (!reaches(permitted.level, 'owner') && organization?.repositoryAdminsChangeTeams !== true) {
      throw forbidden('only owners of the organization give its repositories to teams');
    }
    const team = await this.#use.teams.repositories.findTeam(ownerId, teamName);
    if (team === undefined) throw notFound('team');
    return { permitted, team };
  }
}

/** Requires that the path names a repository of the team's own organization. */
function requireSameOwner({ organization }: PermittedTeam, path: RepositoryPath): void {
  if (path.owner.toLowerCase() !== organization.name.toLowerCase()) throw notFound('repository');
}

function pathIn({ organization }: PermittedTeam, path: RepositoryPath): RepositoryPath {
  return { owner: organization.name, name: path.name };
}

/**
 * Requires that the viewer gives no more than they have. Members of a team with level admin own its repositories, and
 * here the viewer need not be in the team.
 */
function requireMayGiveLevel(permitted: PermittedRepository, team: Team): void {
  if (reaches(team.level, 'admin') && !reaches(permitted.level, 'owner')) {
    throw forbidden('only owners of a repository give it to a team that administers');
  }
}

function requireOrganization({ repository }: PermittedRepository): void {
  if (repository.owner.kind === 'organization') return;
  throw conflict('only repositories of organizations have teams');
}
