import { defineEvent } from '../../base/events/model.ts';
import type { Oid } from '../../git/format/model.ts';
import type { Reviewer, Verdict } from './reviews/model.ts';

interface Numbered {
  readonly issueId: number;
  readonly number: number;
}

/** The branches of a new pull request. The event of its issue comes before. */
export const PULL_OPENED = defineEvent<
  Numbered & { base: string; head: string; headRepositoryId: number | null; sha: Oid }
>('pull.opened');
/** The head has moved. */
export const PULL_SYNCHRONIZED = defineEvent<Numbered & { before: Oid; after: Oid }>('pull.synchronized');
export const PULL_RETARGETED = defineEvent<Numbered & { from: string; to: string }>('pull.retargeted');
/** `isScheduled`: the merge had waited until the protection of the base allowed it. */
export const PULL_MERGED = defineEvent<Numbered & { sha: Oid; style: string; isScheduled?: true }>(
  'pull.merged',
);

/** A review was submitted. `state`: what it says. */
export const PULL_REVIEWED = defineEvent<Numbered & { reviewId: number; state: Verdict }>('pull.reviewed');
export const PULL_REVIEW_DELETED = defineEvent<Numbered & { reviewId: number }>('pull.review-deleted');
/** A review was dismissed, or counts again. */
export const PULL_REVIEW_DISMISSED = defineEvent<Numbered & { reviewId: number; isDismissed: boolean }>(
  'pull.review-dismissed',
);
/** A review is requested of a user or of a team, or no longer is. */
export const PULL_REVIEW_REQUESTED = defineEvent<Numbered & Reviewer & { isRemoved: boolean }>(
  'pull.review-requested',
  { people: ['accountId'] },
);
/** A comment was added to a review that was submitted before. */
export const PULL_COMMENT_CREATED = defineEvent<Numbered & { reviewId: number; commentId: number }>(
  'pull-comment.created',
);
export const PULL_COMMENT_DELETED = defineEvent<Numbered & { reviewId: number; commentId: number }>(
  'pull-comment.deleted',
);
export const PULL_COMMENT_RESOLVED = defineEvent<Numbered & { commentId: number; isResolved: boolean }>(
  'pull-comment.resolved',
);
