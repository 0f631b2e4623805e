import { reaches } from '../../api/access/levels.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import { ForgeError, forbidden, invalid, notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { TEAM } from '../../people/teams/actions.ts';
import type { HeldTeam, Team } from '../../people/teams/model.ts';
import type { Teams } from '../../people/teams/service.ts';
import { REPOSITORY } from '../repositories/actions.ts';
import type { HeldRepository, RepositoryPath } from '../repositories/model.ts';
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
  async list(viewer: Viewer, teamId: number, paging: Paging): Promise<Page<HeldRepository>> {
    const { team } = await this.#use.teams.get(viewer, teamId, TEAM_REPOSITORIES.listRepositories);
    return this.#use.repositories.lists.select(viewer, { teamId: team.id }, paging);
  }

  /** @throws ForgeError `not_found` if the team does not have it, or it has another owner */
  async get(viewer: Viewer, teamId: number, path: RepositoryPath): Promise<HeldRepository> {
    const held = await this.#use.teams.get(viewer, teamId, TEAM_REPOSITORIES.listRepositories);
    requireSameOwner(held, path);
    const found = await this.#use.repositories.get(viewer, pathIn(held, path), REPOSITORY.read);
    if (!(await this.#use.teams.repositories.has(held.team, found.repository.id)))
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
  ): Promise<{ team: Team; found: HeldRepository }> {
    const held = await this.#use.teams.get(viewer, teamId, TEAM_REPOSITORIES.changeRepositories);
    requireSameOwner(held, path);
    const found = await this.#use.repositories.get(viewer, pathIn(held, path), REPOSITORY_TEAMS.changeTeams);
    return { team: held.team, found };
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

  async #seeingTeams(viewer: Viewer, path: RepositoryPath): Promise<HeldRepository> {
    const held = await this.#use.repositories.get(viewer, path, REPOSITORY_TEAMS.listTeams);
    requireOrganization(held);
    if (!reaches(held.level, 'admin')) {
      await this.#use.organizations.get(viewer, held.repository.owner.name, TEAM.list);
    }
    return held;
  }

  /** @throws ForgeError `already_exists` if the team has it, and as `#changingTeams` */
  async addTeam(viewer: Viewer, path: RepositoryPath, teamName: string): Promise<void> {
    const { held, team } = await this.#changingTeams(viewer, path, teamName);
    requireNoMoreThanHeld(held, team);
    if (await this.#use.teams.repositories.has(team, held.repository.id)) {
      throw new ForgeError({ kind: 'already_exists', what: 'the team has this repository already' });
    }
    await this.#use.teams.repositories.add(team, held.repository.id, viewer.accountId);
  }

  /** @throws ForgeError `invalid` if the team does not have it, and as `#changingTeams` */
  async removeTeam(viewer: Viewer, path: RepositoryPath, teamName: string): Promise<void> {
    const { held, team } = await this.#changingTeams(viewer, path, teamName);
    if (!(await this.#use.teams.repositories.has(team, held.repository.id)))
      throw invalid('the team does not have this repository');
    await this.#use.teams.repositories.remove(team, held.repository.id, viewer.accountId);
  }

  /** @throws ForgeError as the lookup, `conflict` for a user's repository, `forbidden`, `not_found` */
  async #changingTeams(
    viewer: Viewer,
    path: RepositoryPath,
    teamName: string,
  ): Promise<{ held: HeldRepository; team: Team }> {
    const held = await this.#use.repositories.get(viewer, path, REPOSITORY_TEAMS.changeTeams);
    requireOrganization(held);
    const ownerId = held.repository.owner.id;
    const [organization] = await this.#use.organizations.listById([ownerId]);
    if (!reaches(held.level, 'owner') && organization?.repositoryAdminsChangeTeams !== true) {
      throw forbidden('only owners of the organization give its repositories to teams');
    }
    const team = await this.#use.teams.repositories.findTeam(ownerId, teamName);
    if (team === undefined) throw notFound('team');
    return { held, team };
  }
}

/** Requires that the path names a repository of the team's own organization. */
function requireSameOwner({ organization }: HeldTeam, path: RepositoryPath): void {
  if (path.owner.toLowerCase() !== organization.name.toLowerCase()) throw notFound('repository');
}

function pathIn({ organization }: HeldTeam, path: RepositoryPath): RepositoryPath {
  return { owner: organization.name, name: path.name };
}

/**
 * Requires that the viewer gives no more than they have. Members of a team with level admin own its repositories, and
 * here the viewer need not be in the team.
 */
function requireNoMoreThanHeld(held: HeldRepository, team: Team): void {
  if (reaches(team.level, 'admin') && !reaches(held.level, 'owner')) {
    throw forbidden('only owners of a repository give it to a team that administers');
  }
}

function requireOrganization({ repository }: HeldRepository): void {
  if (repository.owner.kind === 'organization') return;
  throw new ForgeError({ kind: 'conflict', what: 'only repositories of organizations have teams' });
}
