import { answerOf } from '../../../../api/operations/answers.ts';
import { repositoryAddresses } from '../../../../hosting/repositories/present.ts';
import { type WatchInfo, WatchInfoSchema } from '../../../../hosting/stars/schema.ts';
import type { Addresses } from '../../../../http/app.ts';
import { wireTime } from '../../../../http/time.ts';
import { issueAddresses } from '../../present.ts';
import type { SubscriptionState } from './service.ts';

/** Presents whether the viewer gets notifications. As in the reference, the time is when the issue was created. */
function presentSubscription(
  { issue: { permitted, state }, isSubscribed }: SubscriptionState,
  addresses: Addresses,
): WatchInfo {
  const { url } = issueAddresses({ ...state, repository: permitted.repository }, addresses);
  return {
    subscribed: isSubscribed,
    ignored: !isSubscribed,
    reason: null,
    created_at: wireTime(state.createdAt),
    url: `${url}/subscriptions`,
    repository_url: repositoryAddresses(permitted.repository, addresses).url,
  };
}

export const SubscriptionAnswer = answerOf(WatchInfoSchema, (state: SubscriptionState, _viewer, addresses) =>
  presentSubscription(state, addresses),
);
