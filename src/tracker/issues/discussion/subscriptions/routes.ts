import { operationsOn } from '../../../../api/operations/operations.ts';
import type { Addresses, App } from '../../../../http/app.ts';
import { UserAnswer } from '../../../../people/accounts/present.ts';
import { ISSUE } from '../../actions.ts';
import { ISSUE_SUBSCRIPTION } from './actions.ts';
import { SubscriptionAnswer } from './present.ts';
import type { Subscriptions } from './service.ts';

const SUBSCRIPTIONS_URL = '/repos/:owner/:repo/issues/:number/subscriptions';
const SUBSCRIPTION_URL = `${SUBSCRIPTIONS_URL}/:username` as const;

interface Dependencies {
  readonly subscriptions: Subscriptions;
  readonly addresses: Addresses;
}

export function subscriptionRoutes(app: App, { subscriptions, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'issue', addresses });

  api.list(SUBSCRIPTIONS_URL, ISSUE.read, {
    id: 'issueSubscriptions',
    isTagged: true,
    summary: 'List the users who have subscribed to an issue',
    hasLinks: false,
    answer: UserAnswer,
    handle: ({ viewer, path, params, paging }) =>
      subscriptions.list(viewer, { repository: path, number: params.number }, paging),
  });

  api.get(`${SUBSCRIPTIONS_URL}/check`, ISSUE_SUBSCRIPTION.read, {
    id: 'issueCheckSubscription',
    isTagged: true,
    summary: 'Check whether you get the notifications of an issue',
    answer: SubscriptionAnswer,
    handle: ({ viewer, path, params }) =>
      subscriptions.check(viewer, { repository: path, number: params.number }),
  });

  api.put(SUBSCRIPTION_URL, ISSUE_SUBSCRIPTION.change, {
    id: 'issueAddSubscription',
    summary: 'Subscribe a user to an issue: yourself, or anyone as a site administrator',
    status: 201,
    handle: ({ viewer, path, params }) =>
      subscriptions.set(viewer, { repository: path, number: params.number }, params.username, true),
  });

  api.delete(SUBSCRIPTION_URL, ISSUE_SUBSCRIPTION.change, {
    id: 'issueDeleteSubscription',
    summary: 'Unsubscribe a user from an issue: yourself, or anyone as a site administrator',
    status: 201,
    handle: ({ viewer, path, params }) =>
      subscriptions.set(viewer, { repository: path, number: params.number }, params.username, false),
  });
}
