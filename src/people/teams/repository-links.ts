import type { Page, Paging } from '../../base/core/paging.ts';
import type { Database, Db, Tx } from '../../base/database/database.ts';
import { rethrowGone } from '../../base/database/gone.ts';
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

/** A repository of an organization, which the caller has looked up. */
interface OwnedRepository {
  readonly id: number;
  readonly ownerId: number;
}

interface Dependencies {
  readonly database: Database;
}

/**
 * Links between teams and repositories. Callers authorize the viewer first: `repositories/` is a later folder, so this
 * class cannot do it.
 */
export class TeamRepositoryLinks {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  listTeams(repository: OwnedRepository, paging: Paging): Promise<Page<Team>> {
    return listTeamsOfRepository(this.#use.database.reader, repository, paging);
  }

  /** Finds a team of an organization by name. */
  findTeam(organizationId: number, name: string): Promise<Team | undefined> {
    return findTeamByName(this.#use.database.reader, organizationId, name);
  }

  /** Lists the teams of an organization that are among `ids`. */
  listById(db: Db, organizationId: number, ids: readonly number[]): Promise<readonly Team[]> {
    return listTeamsById(db, organizationId, ids);
  }

  async has(team: Team, repositoryId: number): Promise<boolean> {
    return (
      team.includesAllRepositories || hasTeamRepository(this.#use.database.reader, team.id, repositoryId)
    );
  }

  /** Adds a repository to a team. Does nothing if the team includes all repositories. */
  async add(team: Team, repositoryId: number, actorId: number | null): Promise<void> {
    await this.#change(team, repositoryId, { actorId, isAdded: true });
  }

  /** Removes a repository from a team. Does nothing if the team includes all repositories. */
  async remove(team: Team, repositoryId: number, actorId: number | null): Promise<void> {
    await this.#change(team, repositoryId, { actorId, isAdded: false });
  }

  /**
   * Updates the links of a repository that has a new owner: removes it from its teams and adds it to `teams` of the new
   * owner. Each event names the organization of the team.
   */
  async moveTo(
    tx: Tx,
    repositoryId: number,
    move: { fromOwnerId: number; teams: readonly Team[]; actorId: number | null },
  ): Promise<void> {
    const { fromOwnerId, teams, actorId } = move;
    for (const teamId of await deleteTeamsOfRepository(tx, repositoryId)) {
      const about = { organizationId: fromOwnerId, teamId };
      await announce(tx, actorId, TEAM_REPOSITORY_REMOVED, about, { repositoryId });
    }
    for (const team of teams.filter((each) => !each.includesAllRepositories)) {
      await insertTeamRepository(tx, team.id, repositoryId);
      const about = { organizationId: team.organizationId, teamId: team.id };
      await announce(tx, actorId, TEAM_REPOSITORY_ADDED, about, { repositoryId });
    }
  }

  async #change(
    team: Team,
    repositoryId: number,
    change: { actorId: number | null; isAdded: boolean },
  ): Promise<void> {
    const { actorId, isAdded } = change;
    await this.#use.database
      .transaction(async (tx) => {
        const current = await readTeam(tx, team.id);
        if (current === undefined || current.includesAllRepositories) return;
        const isChanged = isAdded
          ? await insertTeamRepository(tx, team.id, repositoryId)
          : await deleteTeamRepository(tx, team.id, repositoryId);
        if (!isChanged) return;
        const kind = isAdded ? TEAM_REPOSITORY_ADDED : TEAM_REPOSITORY_REMOVED;
        const about = { organizationId: team.organizationId, teamId: team.id };
        await announce(tx, actorId, kind, about, { repositoryId });
      })
      .catch(rethrowGone('repository'));
  }
}
