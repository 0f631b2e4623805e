import type { SignedIn, Viewer } from '../../../api/access/viewer.ts';
import type { Database } from '../../../base/database/database.ts';
import type { Teams } from '../../../people/teams/service.ts';
import type { IssuePath, PermittedIssue } from '../../issues/access.ts';
import type { Issues } from '../../issues/service.ts';
import { PULL } from '../actions.ts';
import { PULL_LIMITS } from '../limits.ts';
import type { Review, ReviewComment, ReviewedPull, ReviewRow } from './model.ts';
import { completeComments, completeReviews } from './read.ts';
import { requireCode } from './rules.ts';
import { type CommentSelection, listSelectedComments } from './store/comments.ts';
import {
  countVerdicts,
  findPending,
  findReviews,
  listStanding,
  type VerdictCounts,
} from './store/reviews.ts';

export type { VerdictCounts };

interface Dependencies {
  readonly database: Database;
  readonly teams: Teams;
  readonly issues: Issues;
}

/** Reads what pages show of many reviews at once. */
export class ReviewOverviews {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Lists the requests for reviews, and the last verdict and the last comment of each reviewer, the oldest first.
   *
   * @throws ForgeError as `IssueAccess.get`
   */
  async listStanding(viewer: Viewer, path: IssuePath): Promise<readonly Review[]> {
    const issue = await this.#get(viewer, path);
    const db = this.#use.database.reader;
    return this.#complete(
      viewer,
      issue,
      await listStanding(db, issue.state.id, PULL_LIMITS.standingReviewsReadMax),
    );
  }

  /** Reads reviews by their ids, without those that the viewer may not see. @throws ForgeError as `IssueAccess.get` */
  async byIds(viewer: Viewer, path: IssuePath, ids: readonly number[]): Promise<ReadonlyMap<number, Review>> {
    const issue = await this.#get(viewer, path);
    const rows = await findReviews(this.#use.database.reader, viewer, { ids, issueId: issue.state.id });
    return new Map((await this.#complete(viewer, issue, rows)).map((review) => [review.id, review]));
  }

  /** Finds the pending review of the viewer. @throws ForgeError as `IssueAccess.get` */
  async findOwnPending(viewer: SignedIn, path: IssuePath): Promise<ReviewRow | undefined> {
    const { state } = await this.#get(viewer, path);
    return findPending(this.#use.database.reader, { issueId: state.id, accountId: viewer.accountId });
  }

  /** Counts the verdicts of reviewers of pull requests that were listed for a viewer, by the ids of their issues. */
  countVerdicts(issueIds: readonly number[]): Promise<ReadonlyMap<number, VerdictCounts>> {
    return countVerdicts(this.#use.database.reader, issueIds);
  }

  /**
   * Lists comments of some reviews, or about some files, the oldest first.
   *
   * @throws ForgeError as `IssueAccess.get`; `forbidden` if the viewer may not read the code
   */
  async listComments(
    viewer: Viewer,
    path: IssuePath,
    wanted: { readonly selection: CommentSelection; readonly countMax: number },
  ): Promise<readonly ReviewComment[]> {
    const db = this.#use.database.reader;
    const issue = await this.#get(viewer, path);
    requireCode(viewer, issue.permitted);
    const rows = await listSelectedComments(db, viewer, issue.state.id, wanted);
    return completeComments(db, viewer, pullOf(issue), rows);
  }

  #get(viewer: Viewer, path: IssuePath): Promise<PermittedIssue> {
    return this.#use.issues.access.get(viewer, path, PULL.read, { kind: 'pull' });
  }

  #complete(viewer: Viewer, issue: PermittedIssue, rows: readonly ReviewRow[]): Promise<readonly Review[]> {
    const { database, teams } = this.#use;
    return completeReviews(database.reader, viewer, { pull: pullOf(issue), teams }, rows);
  }
}

function pullOf({ permitted, state }: PermittedIssue): ReviewedPull {
  return { repository: permitted.repository, number: state.number };
}
