import { reaches } from '../../../api/access/levels.ts';
import { NO_ID, type SignedIn, type Viewer } from '../../../api/access/viewer.ts';
import { forbidden, invalid, notFound } from '../../../base/core/failure.ts';
import type { Page, Paging } from '../../../base/core/paging.ts';
import { Signal } from '../../../base/core/signal.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Database, Db, Tx } from '../../../base/database/database.ts';
import type { Protections } from '../../../code/protection/service.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { Teams } from '../../../people/teams/service.ts';
import type { IssuePath, PermittedIssue } from '../../issues/access.ts';
import type { ReadText } from '../../issues/discussion/references/read.ts';
import { announce, moveIssue, type Recording } from '../../issues/record.ts';
import { deleteEntryOf } from '../../issues/server-changes.ts';
import type { Issues } from '../../issues/service.ts';
import { PULL } from '../actions.ts';
import { PULL_REVIEW_DELETED } from '../events.ts';
import { PULL_LIMITS } from '../limits.ts';
import { getPull } from '../store/pulls.ts';
import type { FollowingLines } from './follow-lines.ts';
import type { DiffLines, PlacedComments } from './lines.ts';
import type { NewReview, Review, ReviewPath, ReviewRow, Verdict } from './model.ts';
import { completeReviews } from './read.ts';
import { requireContent, requireMayReview, requireVerdictAllowed, validReview } from './rules.ts';
import { countCommentsOf, insertComments, listCommentsOf } from './store/comments.ts';
import {
  addToCommentsCount,
  addToPullCount,
  countReviews,
  deleteReview,
  deleteUnsubmitted,
  findPending,
  findReviews,
  insertReviews,
  listReviews,
  setPending,
} from './store/reviews.ts';
import { restoreVerdicts, type Submission, submitReview } from './submit.ts';
import { readTexts } from './texts.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly protections: Protections;
  readonly teams: Teams;
  readonly issues: Issues;
  readonly diffLines: DiffLines;
  readonly followingLines: FollowingLines;
}

/** What a request submits: a verdict, and its text. */
export interface Submitted {
  readonly verdict: Verdict;
  /** '' for the text of the pending review */
  readonly body: string;
}

/** Reviews of pull requests. A user has at most one pending review of a pull request, which only the user sees. */
export class Reviews {
  /** What counts for the protection of the base has changed, in a transaction. */
  readonly changed = new Signal<[tx: Tx, issueId: number]>();
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Lists reviews, and requests for reviews. @throws ForgeError as `IssueAccess.get` */
  async list(viewer: Viewer, path: IssuePath, paging: Paging): Promise<Page<Review>> {
    const db = this.#use.database.reader;
    const issue = await this.#access.get(viewer, path, PULL.read, { kind: 'pull' });
    const { items, total } = await listReviews(db, viewer, issue.state.id, paging);
    return { items: await this.#complete(db, viewer, issue, items), total };
  }

  /** @throws ForgeError as `IssueAccess.get`; `not_found`, also for the pending review of another user */
  async get(viewer: Viewer, { pull, id }: ReviewPath): Promise<Review> {
    const db = this.#use.database.reader;
    const issue = await this.#access.get(viewer, pull, PULL.read, { kind: 'pull' });
    return this.read(db, viewer, issue, id);
  }

  /**
   * Begins a review, or continues the pending review of the viewer, and submits it unless it is to stay pending.
   *
   * @throws ForgeError as `IssueAccess.change`; `forbidden` if the pull request is locked, or the viewer may not read the
   *   code; `invalid`
   */
  async create(viewer: SignedIn, path: IssuePath, wanted: NewReview): Promise<Review> {
    const { database, issues, diffLines } = this.#use;
    const seen = await this.#access.get(viewer, path, PULL.review, { kind: 'pull' });
    requireMayReview(viewer, seen);
    const review = validReview(wanted);
    requireVerdictAllowed(viewer, seen.state, review.state);
    const pull = await getPull(database.reader, seen.state.id);
    const placed = await diffLines.place(pull, review.commit, review.comments);
    const pending = await this.#pendingTexts(viewer, seen.state.id, review.state);
    const written = [review.body, ...review.comments.map(({ body }) => body)];
    const text = await readTexts(issues.texts, viewer, [...written, ...pending]);
    return this.change(viewer, path, async (recording, issue) => {
      requireMayReview(viewer, issue);
      requireVerdictAllowed(viewer, issue.state, review.state);
      return this.#write(recording, issue, { review, placed, text });
    });
  }

  /**
   * Submits the pending review of the viewer.
   *
   * @param requireCurrent throws if the caller does not accept the review as it is
   * @throws ForgeError as `create`; `not_found`; `invalid` for a review that is not pending
   */
  async submit(
    viewer: SignedIn,
    path: ReviewPath,
    { verdict, body }: Submitted,
    requireCurrent: (current: Review) => void,
  ): Promise<Review> {
    const { issues } = this.#use;
    const seen = await this.#access.get(viewer, path.pull, PULL.review, { kind: 'pull' });
    requireMayReview(viewer, seen);
    const pending = await this.#pendingTexts(viewer, seen.state.id, verdict);
    const text = await readTexts(issues.texts, viewer, [body, ...pending]);
    return this.change(viewer, path.pull, async (recording, issue) => {
      const { tx } = recording;
      requireMayReview(viewer, issue);
      const review = await this.read(tx, viewer, issue, path.id);
      requireCurrent(review);
      if (review.state !== 'pending') throw invalid('only a pending review can be submitted');
      requireVerdictAllowed(viewer, issue.state, verdict);
      const { id: reviewId, commentsCount } = review;
      const said = validReview({ state: verdict, body, commit: undefined, comments: [] }).body;
      const full = said === '' ? review.body : said;
      requireContent(verdict, { body: full, hasComments: commentsCount > 0 });
      const pull = await getPull(tx, issue.state.id);
      const submission = { reviewId, verdict, body: full, commit: pull.head.sha, commentsCount, text };
      await this.#submit(recording, { issue: issue.state, pull }, submission);
      return this.read(tx, viewer, issue, reviewId);
    });
  }

  /**
   * Deletes a review with its comments.
   *
   * @param requireCurrent as in `submit`
   * @throws ForgeError as `IssueAccess.change`; `not_found`; `forbidden` unless the viewer is its author or owns the
   *   repository; `invalid` for a request
   */
  async delete(viewer: SignedIn, path: ReviewPath, requireCurrent: (current: Review) => void): Promise<void> {
    await this.change(viewer, path.pull, async (recording, issue) => {
      const { tx, at } = recording;
      const { permitted, state } = issue;
      const review = await this.read(tx, viewer, issue, path.id);
      if (review.accountId !== viewer.accountId && !reaches(permitted.level, 'owner'))
        throw forbidden('only the author of a review, and owners of the repository, can delete it');
      requireCurrent(review);
      if (review.state === 'requested')
        throw invalid('this is a request for a review: delete it at requested_reviewers');
      await deleteReview(tx, review.id);
      if (review.state === 'pending') return;
      if (review.entryId !== null) await deleteEntryOf(tx, review.entryId);
      await addToPullCount(tx, state.id, -review.commentsCount);
      if (review.isOfficial && review.accountId !== null)
        await restoreVerdicts(tx, state, [review.accountId], this.#use.protections);
      await this.changed.notify(tx, state.id);
      await moveIssue(tx, state, { ...state, updatedAt: at });
      const payload = { issueId: state.id, number: state.number, reviewId: review.id };
      await announce(recording, PULL_REVIEW_DELETED, state, payload);
    });
  }

  /** Deletes what an account that is about to be deleted has not submitted, and requests for reviews of it. */
  async beforeUserLeaves(tx: Tx, accountId: number): Promise<void> {
    await deleteUnsubmitted(tx, accountId);
  }

  /** Finds a review of a pull request that was looked up for the viewer. @throws ForgeError `not_found` */
  async require(db: Db, viewer: Viewer, { state }: PermittedIssue, id: number): Promise<ReviewRow> {
    const [row] = await findReviews(db, viewer, { ids: [id], issueId: state.id });
    if (row === undefined) throw notFound('review');
    return row;
  }

  /** Reads a review as its record shows it. @throws ForgeError as `require` */
  async read(db: Db, viewer: Viewer, issue: PermittedIssue, id: number): Promise<Review> {
    const [review] = await this.readAll(db, viewer, issue, [id]);
    if (review === undefined) throw notFound('review');
    return review;
  }

  /** Reads reviews as `read` does, in the order of their ids here, without those that are missing. */
  async readAll(
    db: Db,
    viewer: Viewer,
    issue: PermittedIssue,
    ids: readonly number[],
  ): Promise<readonly Review[]> {
    const rows = await findReviews(db, viewer, { ids, issueId: issue.state.id });
    const reviews = await this.#complete(db, viewer, issue, rows);
    return ids.flatMap((id) => reviews.find((review) => review.id === id) ?? []);
  }

  /** Changes a pull request that the viewer may review. @throws ForgeError as `IssueAccess.change` */
  change<T>(
    viewer: SignedIn,
    path: IssuePath,
    change: (recording: Recording, issue: PermittedIssue) => Promise<T>,
  ): Promise<T> {
    const within = (tx: Tx, issue: PermittedIssue) => change({ tx, viewer, at: currentTimeMs() }, issue);
    return this.#access.change(viewer, path, PULL.review, within, { kind: 'pull' });
  }

  get #access() {
    return this.#use.issues.access;
  }

  #complete(
    db: Db,
    viewer: Viewer,
    { permitted, state }: PermittedIssue,
    rows: readonly ReviewRow[],
  ): Promise<readonly Review[]> {
    const pull = { repository: permitted.repository, number: state.number };
    return completeReviews(db, viewer, { pull, teams: this.#use.teams }, rows);
  }

  /** Returns the texts of the pending comments that become visible with a verdict. */
  async #pendingTexts(
    { accountId }: SignedIn,
    issueId: number,
    verdict: NewReview['state'],
  ): Promise<readonly string[]> {
    if (verdict === 'pending') return [];
    const db = this.#use.database.reader;
    const pending = await findPending(db, { issueId, accountId });
    if (pending === undefined) return [];
    return [pending.body, ...(await listCommentsOf(db, pending.id)).map(({ body }) => body)];
  }

  async #write(
    recording: Recording,
    issue: PermittedIssue,
    {
      review,
      placed,
      text,
    }: { readonly review: NewReview; readonly placed: PlacedComments; readonly text: ReadText },
  ): Promise<Review> {
    const { tx, viewer, at } = recording;
    const { state } = issue;
    const of = { issueId: state.id, accountId: viewer.accountId };
    const pending = await findPending(tx, of);
    const commentsCount = (pending?.commentsCount ?? 0) + placed.comments.length;
    const body = review.body === '' ? (pending?.body ?? '') : review.body;
    if (review.state !== 'pending') requireContent(review.state, { body, hasComments: commentsCount > 0 });
    await requireRoom(tx, state.id, { isNew: pending === undefined, commentsCount });
    const pull = await getPull(tx, state.id);
    const { commit } = placed;
    const isStale = commit !== pull.head.sha;
    if (pending !== undefined) await setPending(tx, pending.id, { body, commit, isStale, at });
    const fresh = { ...of, repositoryId: state.repositoryId, teamId: null, isOfficial: false };
    const begun = { ...fresh, state: 'pending', body, commit, isStale, at } as const;
    const [reviewId = NO_ID] = pending === undefined ? await insertReviews(tx, [begun]) : [pending.id];
    await insertComments(
      tx,
      placed.comments.map((comment) => ({
        ...comment,
        ...of,
        reviewId,
        currentLine: comment.line,
        original: commit,
        commit,
        at,
      })),
    );
    await addToCommentsCount(tx, reviewId, placed.comments.length);
    if (isStale && placed.comments.length > 0) await this.#use.followingLines.enqueue(tx, state.id);
    if (review.state !== 'pending') {
      const submission = { reviewId, verdict: review.state, body, commit, commentsCount, text };
      await this.#submit(recording, { issue: state, pull }, submission);
    }
    return this.read(tx, viewer, issue, reviewId);
  }

  async #submit(
    recording: Recording,
    of: Parameters<typeof submitReview>[1],
    submission: Submission,
  ): Promise<void> {
    await this.changed.notify(recording.tx, of.issue.id);
    await submitReview(recording, of, submission, this.#use);
  }
}

/** @throws ForgeError `invalid` */
async function requireRoom(
  tx: Tx,
  issueId: number,
  { isNew, commentsCount }: { readonly isNew: boolean; readonly commentsCount: number },
): Promise<void> {
  const { reviewsPerPullMax, reviewCommentsPerReviewMax } = PULL_LIMITS;
  if (isNew && (await countReviews(tx, issueId)) >= reviewsPerPullMax)
    throw invalid(`a pull request has at most ${reviewsPerPullMax} reviews`);
  if (commentsCount > reviewCommentsPerReviewMax)
    throw invalid(`a review has at most ${reviewCommentsPerReviewMax} comments on lines`);
  if (commentsCount > 0) await requireRoomForComment(tx, issueId);
}

/** @throws ForgeError `invalid` */
export async function requireRoomForComment(tx: Tx, issueId: number): Promise<void> {
  const { reviewCommentsPerPullMax } = PULL_LIMITS;
  if ((await countCommentsOf(tx, issueId)) >= reviewCommentsPerPullMax)
    throw invalid(`a pull request has at most ${reviewCommentsPerPullMax} comments on lines`);
}
