import type { SignedIn } from '../../../api/access/viewer.ts';
import type { RecordedEvent } from '../../../base/events/model.ts';
import { PULL } from '../../pulls/actions.ts';
import {
  PULL_COMMENT_CREATED,
  PULL_OPENED,
  PULL_RETARGETED,
  PULL_REVIEW_REQUESTED,
  PULL_REVIEWED,
  PULL_SYNCHRONIZED,
} from '../../pulls/events.ts';
import type { EventName } from '../event-names.ts';
import type { Payload } from '../model.ts';
import { type IssueNews, readPull } from './issues.ts';
import { type PayloadServices, type PlannedDelivery, plannedFor } from './model.ts';
import { personOf, sceneOf } from './scene.ts';

type OfPull = RecordedEvent<{ readonly issueId: number; readonly number: number }>;

/** Deliveries about pull requests, apart from those that issues have, too. */
export const PULL_PLANS = [
  plannedFor(PULL_OPENED, (event) => [pullPlan(event, 'pull_request', { action: 'opened' })]),
  plannedFor(PULL_SYNCHRONIZED, (event) => [
    pullPlan(event, 'pull_request_sync', {
      action: 'synchronized',
      also: { before: event.payload.before, after: event.payload.after, commit_id: event.payload.after },
    }),
  ]),
  plannedFor(PULL_RETARGETED, (event) => [
    pullPlan(event, 'pull_request', { action: 'edited', changes: { ref: { from: event.payload.from } } }),
  ]),
  plannedFor(PULL_REVIEWED, (event) => {
    const { reviewId, state } = event.payload;
    return [reviewPlan(event, `pull_request_review_${state}`, reviewId)];
  }),
  // A comment on lines outside of a review that is being written.
  plannedFor(PULL_COMMENT_CREATED, (event) => [
    reviewPlan(event, 'pull_request_review_comment', event.payload.reviewId),
  ]),
  plannedFor(PULL_REVIEW_REQUESTED, (event) => [
    {
      name: 'pull_request_review_request',
      branch: null,
      async read(use, viewer) {
        const { accountId, isRemoved } = event.payload;
        const action = isRemoved ? 'review_request_removed' : 'review_requested';
        // A request to a team names no user.
        const reviewer = accountId === null ? null : await personOf(use, viewer, accountId);
        return readPull(use, viewer, event, { action, also: { requested_reviewer: reviewer } });
      },
    },
  ]),
];

function pullPlan(event: OfPull, name: EventName, news: IssueNews): PlannedDelivery {
  return { name, branch: null, read: (use, viewer) => readPull(use, viewer, event, news) };
}

function reviewPlan(event: OfPull, name: EventName, reviewId: number): PlannedDelivery {
  return { name, branch: null, read: (use, viewer) => readReview(use, viewer, event, { name, reviewId }) };
}

async function readReview(
  use: PayloadServices,
  viewer: SignedIn,
  event: OfPull,
  { name, reviewId }: { name: EventName; reviewId: number },
): Promise<Payload> {
  const { path } = await sceneOf(use, viewer, event, PULL.read);
  const pull = { repository: path, number: `${event.payload.number}` };
  const { body } = await use.reviews.get(viewer, { pull, id: reviewId });
  return readPull(use, viewer, event, {
    action: 'reviewed',
    also: { review: { type: name, content: body } },
  });
}
