import type { Page, Paging } from '../core/paging.ts';
import type { Database, Tx } from '../database/database.ts';
import { rethrowGone } from '../database/gone.ts';
import { announce } from './announce.ts';
import { TEAM_REPOSITORY_ADDED, TEAM_REPOSITORY_REMOVED } from './events.ts';
import type { Team } from './model.ts';
import {
  deleteTeamRepository,
  deleteTeamsOfRepository,
  findTeamByName,
  hasTeamRepository,
  insertTeamRepository,
  listTeamsById,
  listTeamsOfRepository,
  readTeam,
} from './store/teams.ts';

/** A repository of an organization, looked up by the feature that has it. */
interface OwnedRepository {
  readonly id: number;
  readonly ownerId: number;
}

/**
 * Which repositories a team has. Whether the viewer may see or change that was asked before, by the feature that holds
 * repositories.
 */
export class TeamRepositoryLinks {
  readonly #database: Database;

  constructor(dependencies: { database: Database }) {
    this.#database = dependencies.database;
  }

  listTeams(repository: OwnedRepository, paging: Paging): Promise<Page<Team>> {
    return listTeamsOfRepository(this.#database.reader, repository, paging);
  }

  /** The team of this name of the organization that owns a repository. */
  findTeam(organizationId: number, name: string): Promise<Team | undefined> {
    return findTeamByName(this.#database.reader, organizationId, name);
  }

  /** Those of an organization that are among `ids`. */
  listById(tx: Tx, organizationId: number, ids: readonly number[]): Promise<readonly Team[]> {
    return listTeamsById(tx, organizationId, ids);
  }

  async has(team: Team, repositoryId: number): Promise<boolean> {
    return team.includesAllRepositories || hasTeamRepository(this.#database.reader, team.id, repositoryId);
  }

  /** A team that includes all repositories has it already. */
  async add(team: Team, repositoryId: number, actorId: number | null): Promise<void> {
    await this.#change(team, repositoryId, { actorId, isAdded: true });
  }

  /** A team that includes all repositories keeps it. */
  async remove(team: Team, repositoryId: number, actorId: number | null): Promise<void> {
    await this.#change(team, repositoryId, { actorId, isAdded: false });
  }

  /**
   * A repository has another owner: it leaves the teams that had it, and goes to `teams` of the new owner. Its events
   * name the organization whose team it is.
   */
  async moveTo(
    tx: Tx,
    repositoryId: number,
    move: { fromOwnerId: number; teams: readonly Team[]; actorId: number | null },
  ): Promise<void> {
    const { fromOwnerId, teams, actorId } = move;
    for (const teamId of await deleteTeamsOfRepository(tx, repositoryId)) {
      const about = { organizationId: fromOwnerId, teamId };
      await announce(tx, actorId, TEAM_REPOSITORY_REMOVED, about, repositoryId);
    }
    for (const team of teams.filter((each) => !each.includesAllRepositories)) {
      await insertTeamRepository(tx, team.id, repositoryId);
      const about = { organizationId: team.organizationId, teamId: team.id };
      await announce(tx, actorId, TEAM_REPOSITORY_ADDED, about, repositoryId);
    }
  }

  async #change(
    team: Team,
    repositoryId: number,
    change: { actorId: number | null; isAdded: boolean },
  ): Promise<void> {
    const { actorId, isAdded } = change;
    await this.#database
      .transaction(async (tx) => {
        const current = await readTeam(tx, team.id);
        if (current === undefined || current.includesAllRepositories) return;
        const isChanged = isAdded
          ? await insertTeamRepository(tx, team.id, repositoryId)
          : await deleteTeamRepository(tx, team.id, repositoryId);
        if (!isChanged) return;
        const kind = isAdded ? TEAM_REPOSITORY_ADDED : TEAM_REPOSITORY_REMOVED;
        const about = { organizationId: team.organizationId, teamId: team.id };
        await announce(tx, actorId, kind, about, repositoryId);
      })
      .catch(rethrowGone('repository'));
  }
}
