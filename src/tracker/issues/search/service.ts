import { missingScopes } from '../../../api/access/policy.ts';
import { isSignedIn, type Viewer } from '../../../api/access/viewer.ts';
import { ForgeError } from '../../../base/core/failure.ts';
import { offsetOf, type Page, type Paging } from '../../../base/core/paging.ts';
import type { Database } from '../../../base/database/database.ts';
import { COMMIT } from '../../../code/commits/actions.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { Accounts } from '../../../people/accounts/service.ts';
import type { Teams } from '../../../people/teams/service.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import type { Issue, IssueSearchFilter } from '../model.ts';
import { completeIssues } from '../read.ts';
import { findIssuesByIds } from '../store/issues.ts';
import type { IssueSearch } from './store/bound-search.ts';
import { listReadable } from './store/readable.ts';
import { type FoundIssues, searchIssues } from './store/search.ts';

/** A page of the issues that a search has found. */
export interface FoundPage<Item> extends Page<Item> {
  /** false: more issues may match */
  readonly isComplete: boolean;
}

const NOTHING: FoundPage<Issue> = { items: [], total: 0, isComplete: true };

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
  async search(viewer: Viewer, filter: IssueSearchFilter, paging: Paging): Promise<FoundPage<Issue>> {
    const { isOwn } = filter;
    const needsAccount = Object.values(isOwn).includes(true);
    if (filter.terms?.length === 0 || (needsAccount && !isSignedIn(viewer))) return NOTHING;
    const own = (wanted: boolean) => (wanted && isSignedIn(viewer) ? viewer.accountId : undefined);
    const db = this.#use.database.reader;
    const { state, type, since, before, order, terms = [], firstRepositoryId } = filter;
    const repositoryIds = await this.#repositoryIdsOf(viewer, filter);
    const isOfAll = (repositoryIds?.length ?? 0) <= ISSUE_LIMITS.searchedRepositoriesMax;
    const searched = repositoryIds?.slice(0, ISSUE_LIMITS.searchedRepositoriesMax);
    const found = await searchIssues(db, {
      viewer,
      state,
      type,
      since,
      before,
      order,
      terms,
      firstRepositoryId,
      isCodeReadable: missingScopes(viewer, COMMIT.read.scopes).length === 0,
      labels: [],
      milestones: null,
      anyLabel: filter.labels,
      anyMilestone: filter.milestones,
      authorId: own(isOwn.created),
      assigneeId: own(isOwn.assigned),
      mentionedId: own(isOwn.mentioned),
      requestedOfId: own(isOwn.reviewRequested),
      reviewerId: own(isOwn.reviewed),
      readableIds: searched && (await listReadable(db, viewer, { ids: searched, kinds: type })),
    } satisfies IssueSearch);
    const { items, total, isComplete } = pageOf(found, paging);
    return { items: await this.#complete(viewer, items), total, isComplete: isComplete && isOfAll };
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

  /**
   * Returns the repositories of the owner or the team of a filter, at most one more than a search searches.
   *
   * @returns undefined without an owner
   * @throws ForgeError `bad_request`, the same for an account or a team that is missing or hidden; `forbidden`
   */
  async #repositoryIdsOf(
    viewer: Viewer,
    { owner, team }: IssueSearchFilter,
  ): Promise<readonly RepositoryId[] | undefined> {
    if (owner === undefined) return undefined;
    const { id: ownerId } = await this.#use.accounts.getForFilter(viewer, owner);
    const found = team === undefined ? undefined : await this.#use.teams.findByName(viewer, ownerId, team);
    if (team !== undefined && found === undefined)
      throw new ForgeError({ kind: 'bad_request', what: `${owner} has no team ${team}` });
    return this.#use.repositories.lists.firstIds(
      viewer,
      { of: { accountId: ownerId, part: 'owned' }, ...(found === undefined ? {} : { teamId: found.id }) },
      ISSUE_LIMITS.searchedRepositoriesMax + 1,
    );
  }
}

/** Cuts a page out of everything that was found. */
export function pageOf({ ids, isComplete }: FoundIssues, paging: Paging): FoundPage<number> {
  const offset = offsetOf(paging);
  return { items: ids.slice(offset, offset + paging.limit), total: ids.length, isComplete };
}
