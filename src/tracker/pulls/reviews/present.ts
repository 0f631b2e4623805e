import type { Static } from 'typebox';
import type { Viewer } from '../../../api/access/viewer.ts';
import { answerOf, listOf } from '../../../api/operations/answers.ts';
import type { Addresses } from '../../../http/app.ts';
import { wireTime } from '../../../http/time.ts';
import { presentAuthor, presentUser } from '../../../people/accounts/present.ts';
import { presentTeam } from '../../../people/teams/present.ts';
import { anchorOf } from '../../issues/discussion/comments/present.ts';
import { issueAddresses } from '../../issues/present.ts';
import type { Review, ReviewComment, ReviewedPull, ReviewState } from './model.ts';
import { ReviewCommentSchema, ReviewSchema } from './schema.ts';

const STATES = {
  pending: 'PENDING',
  approved: 'APPROVED',
  rejected: 'REQUEST_CHANGES',
  comment: 'COMMENT',
  requested: 'REQUEST_REVIEW',
} as const satisfies Record<ReviewState, string>;

function pageOf({ repository, number }: ReviewedPull, addresses: Addresses): string {
  return issueAddresses({ repository, number, isPull: true }, addresses).htmlUrl;
}

function presentReview(review: Review, viewer: Viewer, addresses: Addresses): Static<typeof ReviewSchema> {
  const { pull, team, teamId, entryId } = review;
  const page = pageOf(pull, addresses);
  return {
    id: review.id,
    user: teamId === null ? presentAuthor(review.author, viewer, addresses) : null,
    team: team === null ? null : presentTeam(team, null, addresses),
    state: STATES[review.state],
    body: review.body,
    commit_id: review.commit,
    stale: review.isStale,
    official: review.isOfficial,
    dismissed: review.isDismissed,
    comments_count: review.commentsCount,
    submitted_at: wireTime(review.createdAt),
    updated_at: wireTime(review.updatedAt),
    html_url: entryId === null ? page : `${page}#${anchorOf(entryId)}`,
    pull_request_url: page,
  };
}

function presentComment(
  comment: ReviewComment,
  viewer: Viewer,
  addresses: Addresses,
): Static<typeof ReviewCommentSchema> {
  const { id, resolver } = comment;
  const page = pageOf(comment.pull, addresses);
  return {
    id,
    body: comment.body,
    user: presentAuthor(comment.author, viewer, addresses),
    resolver: resolver === null ? null : presentUser(resolver, viewer, addresses),
    pull_request_review_id: comment.reviewId,
    created_at: wireTime(comment.createdAt),
    updated_at: wireTime(comment.updatedAt),
    path: comment.path,
    commit_id: comment.commit,
    original_commit_id: comment.original,
    diff_hunk: comment.hunk,
    ...positionsOf(comment),
    extra_lines_count: comment.extraLines,
    html_url: `${page}#review-comment-${id}`,
    pull_request_url: page,
  };
}

/** Clients read a line of the old file from `original_position`, where `position` is 0. */
function positionsOf({ side, line, currentLine }: ReviewComment) {
  return side === 'old'
    ? { position: 0, original_position: currentLine === 0 ? line : currentLine }
    : { position: currentLine, original_position: line };
}

export const ReviewAnswer = answerOf(ReviewSchema, presentReview);
export const ReviewCommentAnswer = answerOf(ReviewCommentSchema, presentComment);
export const ReviewsAnswer = listOf(ReviewAnswer);
