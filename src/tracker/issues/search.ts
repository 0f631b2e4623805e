import { isSignedIn, type Viewer } from '../../api/access/viewer.ts';
import { ForgeError } from '../../base/core/failure.ts';
import { offsetOf, type Page, type Paging } from '../../base/core/paging.ts';
import type { Database } from '../../base/database/database.ts';
import type { RepositoryId } from '../../git/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Teams } from '../../people/teams/service.ts';
import { ISSUE_LIMITS } from './limits.ts';
import type { Issue, IssueSearchFilter } from './model.ts';
import { completeIssues } from './read.ts';
import { findIssuesByIds } from './store/issues.ts';
import { type IssueSearch, searchIssues } from './store/search.ts';
import { listWithReadableIssues } from './store/visible.ts';

const NOTHING: Page<Issue> = { items: [], total: 0 };

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly accounts: Accounts;
  readonly teams: Teams;
}

/** Searches over all repositories. */
export class IssueSearches {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @see Issues.search */
  async search(viewer: Viewer, filter: IssueSearchFilter | undefined, paging: Paging): Promise<Page<Issue>> {
    const { created = false, assigned = false, mentioned = false } = filter?.isOwn ?? {};
    const isOwn = created || assigned || mentioned;
    if (filter === undefined || filter.terms?.length === 0 || (isOwn && !isSignedIn(viewer))) return NOTHING;
    const own = (wanted: boolean) => (wanted && isSignedIn(viewer) ? viewer.accountId : undefined);
    const db = this.#use.database.reader;
    const { state, type, since, before, order, terms = [], firstRepositoryId } = filter;
    const found = await searchIssues(db, {
      ...{ viewer, state, type, since, before, order, terms, firstRepositoryId },
      labels: [],
      milestones: null,
      anyLabel: filter.labels,
      anyMilestone: filter.milestones,
      authorId: own(created),
      assigneeId: own(assigned),
      mentionedId: own(mentioned),
      repositoryIds: await this.#repositoryIdsOf(viewer, filter),
    } satisfies IssueSearch);
    const { items, total } = pageOf(found, paging);
    return { items: await this.#complete(viewer, items), total };
  }

  async #complete(viewer: Viewer, ids: readonly number[]): Promise<readonly Issue[]> {
    const db = this.#use.database.reader;
    const issues = await findIssuesByIds(db, viewer, ids);
    const repositories = new Map(
      (
        await this.#use.repositories.lists.byIds(db, viewer, [
          ...new Set(issues.map(({ state }) => state.repositoryId)),
        ])
      ).map(({ repository }) => [repository.id, repository]),
    );
    const placed = issues.flatMap((issue) => {
      const repository = repositories.get(issue.state.repositoryId);
      return repository === undefined ? [] : [{ ...issue, repository }];
    });
    return completeIssues(db, viewer, placed);
  }

  /** @throws ForgeError `bad_request` */
  async #repositoryIdsOf(
    viewer: Viewer,
    { owner, team }: IssueSearchFilter,
  ): Promise<readonly RepositoryId[] | undefined> {
    if (owner === undefined) return undefined;
    const { id: ownerId } = await this.#ownerOf(viewer, owner);
    const found = team === undefined ? undefined : await this.#use.teams.repositories.findTeam(ownerId, team);
    if (team !== undefined && found === undefined)
      throw new ForgeError({ kind: 'bad_request', what: `${owner} has no team ${team}` });
    const ids = await this.#use.repositories.lists.firstIds(
      viewer,
      { of: { accountId: ownerId, part: 'owned' }, ...(found === undefined ? {} : { teamId: found.id }) },
      ISSUE_LIMITS.searchedRepositoriesMax,
    );
    return listWithReadableIssues(this.#use.database.reader, viewer, ids);
  }

  /** @throws ForgeError `bad_request` */
  async #ownerOf(viewer: Viewer, name: string): Promise<{ readonly id: number }> {
    try {
      return await this.#use.accounts.getByName(viewer, name);
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      throw new ForgeError({ kind: 'bad_request', what: `there is no account ${name}` }, { cause: error });
    }
  }
}

/** Cuts a page out of everything that was found. */
export function pageOf<T>(all: readonly T[], paging: Paging): Page<T> {
  const offset = offsetOf(paging);
  return { items: all.slice(offset, offset + paging.limit), total: all.length };
}
