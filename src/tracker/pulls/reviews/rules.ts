import type { SignedIn, Viewer } from '../../../api/access/viewer.ts';
import { forbidden, invalid } from '../../../base/core/failure.ts';
import { isPlainLine } from '../../../base/core/text/text.ts';
import { COMMIT } from '../../../code/commits/actions.ts';
import { requirePermitted } from '../../../hosting/repositories/authorize.ts';
import type { PermittedRepository } from '../../../hosting/repositories/model.ts';
import { requireNotArchived } from '../../../hosting/repositories/refs/push-rules.ts';
import { type PermittedIssue, requireNotLocked } from '../../issues/access.ts';
import type { IssueState } from '../../issues/model.ts';
import { validBody } from '../../issues/rules.ts';
import { PULL_LIMITS } from '../limits.ts';
import type { NewReview, NewReviewComment, Verdict } from './model.ts';

/**
 * Requires that the viewer may read the code, which reviews and their comments are about.
 *
 * @throws ForgeError `forbidden`
 */
export function requireCode(viewer: Viewer, permitted: PermittedRepository): void {
  requirePermitted(viewer, permitted, COMMIT.read);
}

/**
 * Requires that the viewer may review a pull request, or comment on its lines.
 *
 * @throws ForgeError `forbidden`, `archived`
 */
export function requireMayReview(viewer: SignedIn, { permitted, state }: PermittedIssue): void {
  requireCode(viewer, permitted);
  requireNotArchived(permitted.repository);
  requireNotLocked(permitted, state);
}

/** @throws ForgeError `invalid` for a verdict on an own pull request, and on one that is closed */
export function requireVerdictAllowed(
  viewer: SignedIn,
  pull: Pick<IssueState, 'authorId' | 'isClosed'>,
  verdict: NewReview['state'],
): void {
  if (verdict !== 'approved' && verdict !== 'rejected') return;
  const what = verdict === 'approved' ? 'approve' : 'reject';
  if (pull.authorId === viewer.accountId) throw invalid(`you cannot ${what} your own pull request`);
  if (pull.isClosed) throw invalid(`you cannot ${what} a pull request that is closed: comment instead`);
}

/** @throws ForgeError `invalid` if it says nothing */
export function requireContent(
  verdict: Verdict,
  { body, hasComments }: { readonly body: string; readonly hasComments: boolean },
): void {
  if (verdict !== 'approved' && body.trim() === '' && !hasComments)
    throw invalid('a review that does not approve has a text, or comments on lines');
}

/** @throws ForgeError `invalid` */
export function validReview(review: NewReview): NewReview {
  const countMax = PULL_LIMITS.reviewCommentsAtOnceMax;
  if (review.comments.length > countMax) throw invalid(`a request has at most ${countMax} comments`);
  return { ...review, body: validBody(review.body), comments: review.comments.map(validComment) };
}

/** @throws ForgeError `invalid` */
export function validComment(comment: NewReviewComment): NewReviewComment {
  const { path, line, extraLines, body } = comment;
  if (body.trim() === '') throw invalid('[Body]: Required: a comment has a text');
  if (path === '' || path.length > PULL_LIMITS.commentedPathCharsMax || !isPlainLine(path))
    throw invalid('[Path]: Required: a comment names the path of a changed file');
  if (line < 1) throw invalid('a comment has an old_position or a new_position: a line of that file, from 1');
  if (extraLines < 0 || extraLines > PULL_LIMITS.commentedLinesMax)
    throw invalid(`a comment is about at most ${PULL_LIMITS.commentedLinesMax} more lines`);
  if (body.length > PULL_LIMITS.reviewCommentCharsMax)
    throw invalid(`a comment on lines has at most ${PULL_LIMITS.reviewCommentCharsMax} characters`);
  return { ...comment, body: validBody(body) };
}

/** @throws ForgeError `invalid` */
export function validMessage(text: string): string {
  const charsMax = PULL_LIMITS.dismissalMessageCharsMax;
  if (text.length > charsMax) throw invalid(`a message has at most ${charsMax} characters`);
  return validBody(text);
}

/** @throws ForgeError `forbidden` */
export function requireOpen({ isClosed }: IssueState, what: string): void {
  if (isClosed) throw forbidden(`the pull request is closed: ${what}`);
}
