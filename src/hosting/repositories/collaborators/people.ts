import type { RepositoryAction } from '../../../api/access/actions.ts';
import type { TrackerUnit } from '../../../api/access/levels.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import { invalid } from '../../../base/core/failure.ts';
import type { Page, Paging } from '../../../base/core/paging.ts';
import type { Database, Db } from '../../../base/database/database.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { PublicAccount } from '../../../people/accounts/model.ts';
import { isPossibleAccountName } from '../../../people/accounts/names.ts';
import { REPOSITORY } from '../actions.ts';
import { REPOSITORY_LIMITS } from '../limits.ts';
import type { PermittedRepository, RepositoryPath } from '../model.ts';
import { findAssignable, findReaders, listAssignees, listReviewers } from '../store/assignable.ts';

type Get = (viewer: Viewer, path: RepositoryPath, action: RepositoryAction) => Promise<PermittedRepository>;

interface Dependencies {
  readonly database: Database;
  readonly get: Get;
}

interface MentionedPeople {
  readonly unit: TrackerUnit;
  readonly names: readonly string[];
  readonly teams: readonly string[];
  readonly writerId: number;
}

/**
 * Finds the users whom issues and pull requests of a repository can name: assignees, reviewers and mentioned readers.
 */
export class RepositoryPeople {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `Repositories.get` */
  async listAssignees(viewer: Viewer, path: RepositoryPath, paging: Paging): Promise<Page<PublicAccount>> {
    const { repository } = await this.#use.get(viewer, path, REPOSITORY.listAssignable);
    return listAssignees(this.#use.database.reader, viewer, repository.id, paging);
  }

  /**
   * Finds users who can be given an issue of a repository that was looked up for the viewer.
   *
   * @param names in any case
   * @throws ForgeError `invalid` if one of them cannot, or does not exist
   */
  async requireAssignable(
    db: Db,
    id: RepositoryId,
    names: readonly string[],
  ): Promise<readonly PublicAccount[]> {
    const lowerNames = names.filter(isPossibleAccountName).map((name) => name.toLowerCase());
    const byName = new Map(
      (await findAssignable(db, id, lowerNames)).map((account) => [account.name.toLowerCase(), account]),
    );
    const found = names.map((name) => {
      const account = byName.get(name.toLowerCase());
      if (account === undefined) throw invalid(`${name} cannot be assigned: only users who may write can`);
      return account;
    });
    return [...new Set(found)];
  }

  /**
   * Finds users whom the text of an issue or a pull request mentions and who may read it.
   *
   * @param unit of the issue or the pull request
   * @param names in any case, also of accounts that do not exist
   * @param teams names of teams of the organization that owns the repository
   * @returns ids
   */
  async findReaders(
    db: Db,
    id: RepositoryId,
    { unit, names, teams, writerId }: MentionedPeople,
  ): Promise<readonly number[]> {
    const lowerCase = (all: readonly string[]) => all.map((name) => name.toLowerCase());
    const named = { unit, lowerNames: lowerCase(names), lowerTeams: lowerCase(teams), writerId };
    return findReaders(db, id, named, { limit: REPOSITORY_LIMITS.mentionedUsersMax });
  }

  /** @throws ForgeError as `Repositories.get` */
  async listReviewers(viewer: Viewer, path: RepositoryPath, paging: Paging): Promise<Page<PublicAccount>> {
    const { repository } = await this.#use.get(viewer, path, REPOSITORY.listAssignable);
    return listReviewers(this.#use.database.reader, viewer, repository.id, paging);
  }
}
