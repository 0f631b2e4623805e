import type { Static } from 'typebox';
import { invalid } from '../../../base/core/failure.ts';
import type { Dismissal, NamedReviewers, NewReview, NewReviewComment, Verdict } from './model.ts';
import type {
  CreateReviewBody,
  CreateReviewCommentBody,
  DismissReviewBody,
  ReviewRequestsBody,
  SubmitReviewBody,
} from './schema.ts';
import type { Submitted } from './service.ts';

const VERDICTS: ReadonlyMap<string, Verdict | 'pending'> = new Map([
  ['', 'pending'],
  ['PENDING', 'pending'],
  ['APPROVED', 'approved'],
  ['REQUEST_CHANGES', 'rejected'],
  ['COMMENT', 'comment'],
]);

/** @throws ForgeError `invalid` */
export function newReviewOf(body: Static<typeof CreateReviewBody>): NewReview {
  const { commit_id: commit = '', comments = [] } = body;
  return {
    state: verdictOf(body.event),
    body: body.body ?? '',
    commit: commit === '' ? undefined : commit,
    comments: comments.map(newCommentOf),
  };
}

/** @throws ForgeError `invalid` */
export function submittedOf({ event, body = '' }: Static<typeof SubmitReviewBody>): Submitted {
  const verdict = verdictOf(event);
  if (verdict === 'pending')
    throw invalid('the review stays pending: the event is APPROVED, REQUEST_CHANGES or COMMENT');
  return { verdict, body };
}

function verdictOf(event = ''): Verdict | 'pending' {
  const verdict = VERDICTS.get(event);
  if (verdict === undefined)
    throw invalid('the event of a review is APPROVED, REQUEST_CHANGES, COMMENT or PENDING');
  return verdict;
}

/** Reads a comment. A position of 0 counts as absent. The line of a comment without exactly one position is 0. */
export function newCommentOf(comment: Static<typeof CreateReviewCommentBody>): NewReviewComment {
  const {
    path = '',
    body = '',
    old_position: old = 0,
    new_position: now = 0,
    extra_lines_count: extraLines = 0,
  } = comment;
  const line = old !== 0 && now !== 0 ? 0 : old + now;
  return { path, body, side: old === 0 ? 'new' : 'old', line, extraLines };
}

export function dismissalOf({ message = '', priors }: Static<typeof DismissReviewBody>): Dismissal {
  return { message, withEarlier: priors === true };
}

export function reviewersOf(body: Static<typeof ReviewRequestsBody>): NamedReviewers {
  return { users: body.reviewers ?? [], teams: body.team_reviewers ?? [] };
}
