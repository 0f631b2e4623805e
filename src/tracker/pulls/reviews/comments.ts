import { reaches } from '../../../api/access/levels.ts';
import type { SignedIn, Viewer } from '../../../api/access/viewer.ts';
import { forbidden, invalid, notFound } from '../../../base/core/failure.ts';
import type { Database, Db } from '../../../base/database/database.ts';
import type { Protections } from '../../../code/protection/service.ts';
import type { RepositoryPath } from '../../../hosting/repositories/model.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import { type IssuePath, mayManage, type PermittedIssue } from '../../issues/access.ts';
import type { ReadText } from '../../issues/discussion/references/read.ts';
import { recordReviewTexts } from '../../issues/discussion/references/record.ts';
import { announce, moveIssue, type Recording } from '../../issues/record.ts';
import type { Issues } from '../../issues/service.ts';
import { PULL } from '../actions.ts';
import { PULL_COMMENT_CREATED, PULL_COMMENT_DELETED, PULL_COMMENT_RESOLVED } from '../events.ts';
import { PULL_LIMITS } from '../limits.ts';
import { getPull } from '../store/pulls.ts';
import type { FollowingLines } from './follow-lines.ts';
import type { DiffLines } from './lines.ts';
import type {
  NewReviewComment,
  ReviewComment,
  ReviewCommentPath,
  ReviewCommentRow,
  ReviewPath,
  ReviewRow,
} from './model.ts';
import { completeComments } from './read.ts';
import { requireCode, requireMayReview, validComment } from './rules.ts';
import { type Reviews, requireRoomForComment } from './service.ts';
import {
  deleteComment,
  findComments,
  findNumberOf,
  insertComments,
  listCommentsOf,
  setResolver,
} from './store/comments.ts';
import { addToCommentsCount, addToPullCount } from './store/reviews.ts';
import { mayApprove } from './submit.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly protections: Protections;
  readonly issues: Issues;
  readonly reviews: Reviews;
  readonly diffLines: DiffLines;
  readonly followingLines: FollowingLines;
}

type NewRow = Omit<Parameters<typeof insertComments>[1][number], 'accountId' | 'at' | 'reviewId' | 'issueId'>;

/** A comment that a request names. */
interface WantedComment {
  readonly id: number;
  /** undefined: of any review */
  readonly reviewId?: number;
}

/** Comments on lines of pull requests. Each belongs to a review, and is visible as soon as the review is. */
export class ReviewComments {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `Reviews.get`; `forbidden` if the viewer may not read the code */
  async list(viewer: Viewer, path: ReviewPath): Promise<readonly ReviewComment[]> {
    const db = this.#use.database.reader;
    const issue = await this.#get(viewer, path.pull);
    const { id } = await this.#use.reviews.require(db, viewer, issue, path.id);
    return this.#complete(db, viewer, issue, await listCommentsOf(db, id));
  }

  /** @throws ForgeError as `list`, and `not_found` for a missing comment */
  async get(viewer: Viewer, path: ReviewCommentPath): Promise<ReviewComment> {
    const db = this.#use.database.reader;
    const issue = await this.#get(viewer, path.pull);
    const { id: reviewId } = await this.#use.reviews.require(db, viewer, issue, path.id);
    return this.#read(db, viewer, issue, { id: path.commentId, reviewId });
  }

  /**
   * Adds a comment to a review.
   *
   * @throws ForgeError as `Reviews.create`; `not_found`; `invalid` for a request for a review
   */
  async create(viewer: SignedIn, path: ReviewPath, wanted: NewReviewComment): Promise<ReviewComment> {
    const { database, issues, reviews, diffLines } = this.#use;
    const seen = await issues.access.get(viewer, path.pull, PULL.review, { kind: 'pull' });
    requireMayReview(viewer, seen);
    const comment = validComment(wanted);
    await reviews.require(database.reader, viewer, seen, path.id);
    const pull = await getPull(database.reader, seen.state.id);
    const { commit, comments } = await diffLines.place(pull, undefined, [comment]);
    const [placed] = comments;
    if (placed === undefined) throw notFound('line');
    const text = await issues.texts.markdown(viewer, comment.body);
    return reviews.change(viewer, path.pull, async (recording, issue) => {
      requireMayReview(viewer, issue);
      const review = await reviews.require(recording.tx, viewer, issue, path.id);
      const row = { ...placed, currentLine: placed.line, original: commit, commit };
      return this.#add(recording, issue, { review, row, text });
    });
  }

  /**
   * Adds a comment about the same lines as another one.
   *
   * @param commentId of the other one
   * @throws ForgeError as `create`
   */
  async reply(viewer: SignedIn, path: IssuePath, commentId: number, body: string): Promise<ReviewComment> {
    const { issues, reviews } = this.#use;
    const seen = await issues.access.get(viewer, path, PULL.review, { kind: 'pull' });
    requireMayReview(viewer, seen);
    const text = await issues.texts.markdown(viewer, body);
    return reviews.change(viewer, path, async (recording, issue) => {
      const { tx } = recording;
      requireMayReview(viewer, issue);
      const { reviewId, ...other } = await requireComment(tx, viewer, issue, { id: commentId });
      const review = await reviews.require(tx, viewer, issue, reviewId);
      const row = { ...other, ...validComment({ ...other, body }) };
      return this.#add(recording, issue, { review, row, text });
    });
  }

  /**
   * @param requireCurrent throws if the caller does not accept the comment as it is
   * @throws ForgeError as `IssueAccess.change`; `not_found`; `forbidden` unless the viewer is its author or an
   *   administrator
   */
  async delete(
    viewer: SignedIn,
    path: ReviewCommentPath,
    requireCurrent: (current: ReviewComment) => void,
  ): Promise<void> {
    await this.#use.reviews.change(viewer, path.pull, async (recording, issue) => {
      const { tx, at } = recording;
      const { permitted, state } = issue;
      requireCode(viewer, permitted);
      const review = await this.#use.reviews.require(tx, viewer, issue, path.id);
      const comment = await this.#read(tx, viewer, issue, { id: path.commentId, reviewId: review.id });
      if (comment.accountId !== viewer.accountId && !reaches(permitted.level, 'admin'))
        throw forbidden('only the author of a comment, and administrators, can delete it');
      requireCurrent(comment);
      await deleteComment(tx, comment.id);
      await addToCommentsCount(tx, review.id, -1);
      if (review.state === 'pending') return;
      await addToPullCount(tx, state.id, -1);
      await moveIssue(tx, state, { ...state, updatedAt: at });
      const payload = { issueId: state.id, number: state.number, reviewId: review.id, commentId: comment.id };
      await announce(recording, PULL_COMMENT_DELETED, state, payload);
    });
  }

  /**
   * Marks what a comment asks for as done, or not done.
   *
   * @param id of a comment of the repository
   * @throws ForgeError as `IssueAccess.change`; `not_found`; `forbidden` unless the viewer is the author of the pull
   *   request, may write pull requests, or may approve
   */
  async resolve(
    viewer: SignedIn,
    repository: RepositoryPath,
    id: number,
    { isResolved }: { readonly isResolved: boolean },
  ): Promise<void> {
    const { database, issues } = this.#use;
    const permitted = await issues.access.repository(viewer, repository, PULL.review);
    const repositoryId = permitted.repository.id;
    const number = await findNumberOf(database.reader, { id, repositoryId });
    if (number === undefined) throw notFound('comment');
    await this.#use.reviews.change(viewer, { repository, number: `${number}` }, async (recording, issue) => {
      const { tx } = recording;
      const { state } = issue;
      requireCode(viewer, issue.permitted);
      const comment = await requireComment(tx, viewer, issue, { id });
      await this.#requireMayResolve(recording, issue);
      if ((comment.resolverId !== null) === isResolved) return;
      await setResolver(tx, [id], isResolved ? viewer.accountId : null);
      const payload = { issueId: state.id, number, commentId: id, isResolved };
      await announce(recording, PULL_COMMENT_RESOLVED, state, payload);
    });
  }

  async #requireMayResolve(recording: Recording, { permitted, state }: PermittedIssue): Promise<void> {
    const { tx, viewer } = recording;
    if (state.authorId === viewer.accountId || mayManage(permitted, state)) return;
    const pull = await getPull(tx, state.id);
    if (!(await mayApprove(recording, pull, this.#use.protections)))
      throw forbidden('only the author of the pull request, and people who may write, can resolve comments');
  }

  async #get(viewer: Viewer, path: IssuePath): Promise<PermittedIssue> {
    const issue = await this.#use.issues.access.get(viewer, path, PULL.read, { kind: 'pull' });
    requireCode(viewer, issue.permitted);
    return issue;
  }

  async #add(
    recording: Recording,
    issue: PermittedIssue,
    { review, row, text }: { readonly review: ReviewRow; readonly row: NewRow; readonly text: ReadText },
  ): Promise<ReviewComment> {
    const { tx, viewer, at } = recording;
    const { state } = issue;
    if (review.state === 'requested') throw invalid('a request for a review has no comments');
    const { reviewCommentsPerReviewMax: countMax } = PULL_LIMITS;
    if (review.commentsCount >= countMax) throw invalid(`a review has at most ${countMax} comments on lines`);
    await requireRoomForComment(tx, state.id);
    const of = { reviewId: review.id, issueId: state.id, accountId: viewer.accountId };
    const [id = 0] = await insertComments(tx, [{ ...row, ...of, at }]);
    await addToCommentsCount(tx, review.id, 1);
    const pull = await getPull(tx, state.id);
    if (row.commit !== pull.head.sha) await this.#use.followingLines.enqueue(tx, state.id);
    if (review.state !== 'pending') {
      await addToPullCount(tx, state.id, 1);
      await moveIssue(tx, state, { ...state, updatedAt: at });
      const added = { entryId: review.entryId, body: '', lines: [{ id, body: row.body }] };
      const texts = { issue: state, review: added };
      await recordReviewTexts(recording, texts, text, this.#use.repositories);
      const payload = { issueId: state.id, number: state.number, reviewId: review.id, commentId: id };
      await announce(recording, PULL_COMMENT_CREATED, state, payload);
    }
    return this.#read(tx, viewer, issue, { id });
  }

  /** Reads a comment as its record shows it. @throws ForgeError as `requireComment` */
  async #read(db: Db, viewer: Viewer, issue: PermittedIssue, wanted: WantedComment): Promise<ReviewComment> {
    const row = await requireComment(db, viewer, issue, wanted);
    const [comment] = await this.#complete(db, viewer, issue, [row]);
    if (comment === undefined) throw notFound('comment');
    return comment;
  }

  #complete(
    db: Db,
    viewer: Viewer,
    { permitted, state }: PermittedIssue,
    rows: readonly ReviewCommentRow[],
  ): Promise<readonly ReviewComment[]> {
    const pull = { repository: permitted.repository, number: state.number };
    return completeComments(db, viewer, pull, rows);
  }
}

/**
 * Finds a comment of a pull request that was looked up for the viewer.
 *
 * @throws ForgeError `not_found`, also for a comment of another review
 */
async function requireComment(
  db: Db,
  viewer: Viewer,
  { state }: PermittedIssue,
  { id, reviewId }: WantedComment,
): Promise<ReviewCommentRow> {
  const [row] = await findComments(db, viewer, { ids: [id], issueId: state.id });
  if (row === undefined || (reviewId !== undefined && row.reviewId !== reviewId)) throw notFound('comment');
  return row;
}
