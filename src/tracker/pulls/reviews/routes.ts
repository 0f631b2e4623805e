import { NO_ID } from '../../../api/access/viewer.ts';
import { operationsOn } from '../../../api/operations/operations.ts';
import { preconditionsOn } from '../../../api/operations/preconditions.ts';
import { parseId } from '../../../base/core/text/ids.ts';
import type { Addresses, App } from '../../../http/app.ts';
import { PULL } from '../actions.ts';
import { PULL_URL, PULLS_URL } from '../urls.ts';
import type { ReviewComments } from './comments.ts';
import type { Dismissals } from './dismissals.ts';
import { dismissalOf, newCommentOf, newReviewOf, reviewersOf, submittedOf } from './options.ts';
import { ReviewAnswer, ReviewCommentAnswer, ReviewsAnswer } from './present.ts';
import type { ReviewRequests } from './requests.ts';
import {
  CreateReviewBody,
  CreateReviewCommentBody,
  DismissReviewBody,
  ReplyBody,
  ReviewRequestsBody,
  SubmitReviewBody,
} from './schema.ts';
import type { Reviews } from './service.ts';

const REVIEWS_URL = `${PULL_URL}/reviews` as const;
const REVIEW_URL = `${REVIEWS_URL}/:id` as const;
const COMMENTS_URL = `${REVIEW_URL}/comments` as const;
const COMMENT_URL = `${COMMENTS_URL}/:comment` as const;
const REQUESTS_URL = `${PULL_URL}/requested_reviewers` as const;

interface Dependencies {
  readonly reviews: Reviews;
  readonly reviewComments: ReviewComments;
  readonly reviewRequests: ReviewRequests;
  readonly dismissals: Dismissals;
  readonly addresses: Addresses;
}

export function reviewRoutes(app: App, dependencies: Dependencies): void {
  const { reviews, addresses } = dependencies;
  const api = operationsOn(app, { tag: 'repository', addresses });
  const { required } = preconditionsOn(ReviewAnswer, addresses);

  api.list(REVIEWS_URL, PULL.read, {
    id: 'repoListPullReviews',
    isTagged: true,
    summary: 'List the reviews of a pull request, and requests for reviews',
    answer: ReviewAnswer,
    handle: ({ viewer, path, params, paging }) =>
      reviews.list(viewer, { repository: path, number: params.number }, paging),
  });

  api.post(REVIEWS_URL, PULL.review, {
    id: 'repoCreatePullReview',
    summary: 'Review a pull request, or begin a review',
    failures: ['archived', 'invalid'],
    body: CreateReviewBody,
    answer: ReviewAnswer,
    handle: ({ viewer, path, params, body }) =>
      reviews.create(viewer, { repository: path, number: params.number }, newReviewOf(body)),
  });

  api.get(REVIEW_URL, PULL.read, {
    id: 'repoGetPullReview',
    isTagged: true,
    summary: 'Get a review',
    answer: ReviewAnswer,
    handle: ({ viewer, path, params }) => reviews.get(viewer, reviewAt(path, params)),
  });

  api.post(REVIEW_URL, PULL.review, {
    id: 'repoSubmitPullReview',
    summary: 'Submit a pending review',
    failures: ['archived', 'invalid', 'precondition_failed'],
    body: SubmitReviewBody,
    answer: ReviewAnswer,
    handle: ({ viewer, path, params, body, request }) =>
      reviews.submit(viewer, reviewAt(path, params), submittedOf(body), required(request)),
  });

  api.delete(REVIEW_URL, PULL.review, {
    id: 'repoDeletePullReview',
    summary: 'Delete a review with its comments',
    failures: ['archived', 'invalid', 'precondition_failed'],
    handle: ({ viewer, path, params, request }) =>
      reviews.delete(viewer, reviewAt(path, params), required(request)),
  });

  commentRoutes(app, dependencies);
  requestRoutes(app, dependencies);
  dismissalRoutes(app, dependencies);
}

function commentRoutes(app: App, { reviewComments, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });
  const { required } = preconditionsOn(ReviewCommentAnswer, addresses);

  api.wholeList(COMMENTS_URL, PULL.read, {
    id: 'repoGetPullReviewComments',
    isTagged: true,
    summary: 'List the comments of a review',
    answer: ReviewCommentAnswer,
    handle: ({ viewer, path, params }) => reviewComments.list(viewer, reviewAt(path, params)),
  });

  api.post(COMMENTS_URL, PULL.review, {
    id: 'repoCreatePullReviewComment',
    summary: 'Add a comment to a review',
    failures: ['archived', 'invalid'],
    body: CreateReviewCommentBody,
    answer: ReviewCommentAnswer,
    handle: ({ viewer, path, params, body }) =>
      reviewComments.create(viewer, reviewAt(path, params), newCommentOf(body)),
  });

  api.get(COMMENT_URL, PULL.read, {
    id: 'repoGetPullReviewComment',
    isTagged: true,
    summary: 'Get a comment of a review',
    answer: ReviewCommentAnswer,
    handle: ({ viewer, path, params }) => reviewComments.get(viewer, commentAt(path, params)),
  });

  api.delete(COMMENT_URL, PULL.review, {
    id: 'repoDeletePullReviewComment',
    summary: 'Delete a comment of a review',
    failures: ['archived', 'precondition_failed'],
    handle: ({ viewer, path, params, request }) =>
      reviewComments.delete(viewer, commentAt(path, params), required(request)),
  });

  api.post(`${PULL_URL}/comments/:id/replies`, PULL.review, {
    id: 'repoCreatePullReviewCommentReply',
    summary: 'Reply to a comment of a review',
    failures: ['archived', 'invalid'],
    body: ReplyBody,
    status: 201,
    answer: ReviewCommentAnswer,
    handle: ({ viewer, path, params: { number, id }, body }) =>
      reviewComments.reply(viewer, { repository: path, number }, id, body.body),
  });

  for (const isResolved of [true, false]) {
    const word = isResolved ? 'resolve' : 'unresolve';
    api.post(`${PULLS_URL}/comments/:id/${word}`, PULL.review, {
      id: isResolved ? 'repoResolvePullReviewComment' : 'repoUnresolvePullReviewComment',
      summary: isResolved ? 'Resolve a comment of a review' : 'Take back that a comment is resolved',
      failures: ['archived'],
      handle: ({ viewer, path, params: { id } }) => reviewComments.resolve(viewer, path, id, { isResolved }),
    });
  }
}

function requestRoutes(app: App, { reviewRequests, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  api.post(REQUESTS_URL, PULL.review, {
    id: 'repoCreatePullReviewRequests',
    summary: 'Request reviews of users and teams',
    failures: ['archived', 'invalid'],
    body: ReviewRequestsBody,
    status: 201,
    answer: ReviewsAnswer,
    handle: ({ viewer, path, params, body }) =>
      reviewRequests.add(viewer, { repository: path, number: params.number }, reviewersOf(body)),
  });

  api.delete(REQUESTS_URL, PULL.review, {
    id: 'repoDeletePullReviewRequests',
    summary: 'Take requests for reviews back',
    failures: ['archived', 'invalid'],
    body: ReviewRequestsBody,
    handle: ({ viewer, path, params, body }) =>
      reviewRequests.remove(viewer, { repository: path, number: params.number }, reviewersOf(body)),
  });
}

function dismissalRoutes(app: App, { dismissals, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  api.post(`${REVIEW_URL}/dismissals`, PULL.dismiss, {
    id: 'repoDismissPullReview',
    summary: 'Dismiss a review, so that it no longer counts',
    failures: ['archived', 'invalid'],
    body: DismissReviewBody,
    answer: ReviewAnswer,
    handle: ({ viewer, path, params, body }) =>
      dismissals.dismiss(viewer, reviewAt(path, params), dismissalOf(body)),
  });

  api.post(`${REVIEW_URL}/undismissals`, PULL.dismiss, {
    id: 'repoUnDismissPullReview',
    summary: 'Let a dismissed review count again',
    failures: ['archived'],
    answer: ReviewAnswer,
    handle: ({ viewer, path, params }) => dismissals.undismiss(viewer, reviewAt(path, params)),
  });
}

type Path = { readonly owner: string; readonly name: string };

function reviewAt(repository: Path, { number, id }: { readonly number: string; readonly id: number }) {
  return { pull: { repository, number }, id };
}

function commentAt(
  repository: Path,
  { comment, ...params }: { readonly number: string; readonly id: number; readonly comment: string },
) {
  return { ...reviewAt(repository, params), commentId: parseId(comment) ?? NO_ID };
}
