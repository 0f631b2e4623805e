import { PULL } from '../../../src/tracker/pulls/actions.ts';
import { type Probe, REPOSITORY_URL } from '../../api/access/probe.ts';

const PULLS_URL = `${REPOSITORY_URL}/pulls`;
const PULL_URL = `${PULLS_URL}/:number`;
const REVIEWS_URL = `${PULL_URL}/reviews`;
const REVIEW_URL = `${REVIEWS_URL}/:id`;
const COMMENTS_URL = `${REVIEW_URL}/comments`;
const COMMENT_URL = `${COMMENTS_URL}/:comment`;
const REQUESTS_URL = `${PULL_URL}/requested_reviewers`;
const MISSING = { filled: { ':number': '999999' }, isOfMissing: true } as const;
const NO_COMMENT = { filled: { ':number': '999999', ':comment': '1' }, isOfMissing: true } as const;
const COMMENT = { json: { path: 'README.md', new_position: 1, body: 'Text' } };
const NAMES = { json: { reviewers: [] } };

export const REVIEW_OPERATIONS = [
  'repoApplyPullSuggestions',
  'repoCreatePullReviewComment',
  'repoCreatePullReviewCommentReply',
  'repoDeletePullReviewComment',
  'repoGetPullReviewComment',
  'repoResolvePullReviewComment',
  'repoUnresolvePullReviewComment',
];

/** Probes of reviews, their comments, and requests for them. */
export const REVIEW_PROBES: readonly Probe[] = [
  { label: 'reviews', method: 'GET', url: REVIEWS_URL, action: PULL.read, ...MISSING },
  {
    label: 'create review',
    method: 'POST',
    url: REVIEWS_URL,
    action: PULL.review,
    sent: { json: { event: 'APPROVED' } },
    ...MISSING,
  },
  { label: 'review', method: 'GET', url: REVIEW_URL, action: PULL.read, ...MISSING },
  {
    label: 'submit review',
    method: 'POST',
    url: REVIEW_URL,
    action: PULL.review,
    sent: { json: { event: 'APPROVED' } },
    ...MISSING,
  },
  { label: 'delete review', method: 'DELETE', url: REVIEW_URL, action: PULL.review, ...MISSING },
  { label: 'comments of review', method: 'GET', url: COMMENTS_URL, action: PULL.read, ...MISSING },
  {
    label: 'add comment to review',
    method: 'POST',
    url: COMMENTS_URL,
    action: PULL.review,
    sent: COMMENT,
    ...MISSING,
  },
  { label: 'comment of review', method: 'GET', url: COMMENT_URL, action: PULL.read, ...NO_COMMENT },
  {
    label: 'delete comment of review',
    method: 'DELETE',
    url: COMMENT_URL,
    action: PULL.review,
    ...NO_COMMENT,
  },
  {
    label: 'reply to comment of review',
    method: 'POST',
    url: `${PULL_URL}/comments/:id/replies`,
    action: PULL.review,
    sent: { json: { body: 'Text' } },
    ...MISSING,
  },
  ...['resolve', 'unresolve'].map(
    (word): Probe => ({
      label: `${word} comment of review`,
      method: 'POST',
      url: `${PULLS_URL}/comments/:id/${word}`,
      action: PULL.review,
      isOfMissing: true,
    }),
  ),
  {
    label: 'request reviews',
    method: 'POST',
    url: REQUESTS_URL,
    action: PULL.review,
    sent: NAMES,
    ...MISSING,
  },
  {
    label: 'take requests for reviews back',
    method: 'DELETE',
    url: REQUESTS_URL,
    action: PULL.review,
    sent: NAMES,
    ...MISSING,
  },
  ...['dismissals', 'undismissals'].map(
    (word): Probe => ({
      label: `${word} of review`,
      method: 'POST',
      url: `${REVIEW_URL}/${word}`,
      action: PULL.dismiss,
      sent: { json: {} },
      ...MISSING,
    }),
  ),
  {
    label: 'apply suggestions',
    method: 'POST',
    url: `${PULL_URL}/suggestions`,
    action: PULL.review,
    sent: { json: { comments: [1] } },
    ...MISSING,
  },
];
