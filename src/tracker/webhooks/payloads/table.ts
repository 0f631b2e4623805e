import type { EventKind, RecordedEvent } from '../../../base/events/model.ts';
import { BRANCH_RENAMED } from '../../../code/branches/events.ts';
import * as keys from '../../../code/keys/events.ts';
import * as protections from '../../../code/protection/events.ts';
import * as adoption from '../../../hosting/adoption/events.ts';
import { REPOSITORY_FLAGS_CHANGED } from '../../../hosting/flags/events.ts';
import * as largeFiles from '../../../hosting/lfs/events.ts';
import { REPOSITORY_PURGED } from '../../../hosting/maintenance/events.ts';
import * as pushMirrors from '../../../hosting/push-mirrors/events.ts';
import * as quotas from '../../../hosting/quota/events.ts';
import {
  COLLABORATOR_CHANGED,
  COLLABORATOR_REMOVED,
  REPOSITORY_CHANGED,
  REPOSITORY_RENAMED,
  REPOSITORY_VISIBILITY_CHANGED,
} from '../../../hosting/repositories/events.ts';
import * as stars from '../../../hosting/stars/events.ts';
import { REPOSITORY_TOPICS_CHANGED } from '../../../hosting/topics/events.ts';
import * as transfers from '../../../hosting/transfers/events.ts';
import { WIKI_REFS_CHANGED } from '../../../hosting/wikis/events.ts';
import * as accounts from '../../../people/accounts/events.ts';
import * as blocks from '../../../people/blocks/events.ts';
import * as external from '../../../people/external/events.ts';
import * as follows from '../../../people/follows/events.ts';
import * as oauth from '../../../people/oauth/events.ts';
import * as oauthGrants from '../../../people/oauth-grants/events.ts';
import * as organizations from '../../../people/organizations/events.ts';
import * as recovery from '../../../people/recovery/events.ts';
import * as secondFactors from '../../../people/second-factor/events.ts';
import * as sessions from '../../../people/sessions/events.ts';
import * as signUp from '../../../people/sign-up/events.ts';
import * as teams from '../../../people/teams/events.ts';
import * as tokens from '../../../people/tokens/events.ts';
import * as reactions from '../../issues/discussion/reactions/events.ts';
import { ISSUE_SUBSCRIBED, ISSUE_UNSUBSCRIBED, PULL_READY } from '../../issues/models/events.ts';
import * as dependencies from '../../issues/planning/dependencies/events.ts';
import * as marks from '../../issues/planning/marks/events.ts';
import * as times from '../../issues/planning/times/events.ts';
import * as labels from '../../labels/events.ts';
import * as milestones from '../../milestones/events.ts';
import {
  PULL_COMMENT_DELETED,
  PULL_COMMENT_RESOLVED,
  PULL_MERGED,
  PULL_REVIEW_DELETED,
  PULL_REVIEW_DISMISSED,
} from '../../pulls/events.ts';
import { RELEASE_DRAFT_CHANGED } from '../../releases/events.ts';
import { WEBHOOK_EVENTS } from '../events.ts';
import { ISSUE_PLANS } from './issues.ts';
import type { PlannedDelivery } from './model.ts';
import { PULL_PLANS } from './pulls.ts';
import { REF_PLANS } from './refs.ts';
import { RELEASE_PLANS } from './releases.ts';
import { REPOSITORY_PLANS } from './repositories.ts';
import { WIKI_PLANS } from './wikis.ts';

/**
 * What is delivered for each kind of event. A feature whose events webhooks deliver adds a list of plans here; all other
 * kinds are in `NOT_DELIVERED`.
 */
const PLANS = new Map([
  ...REF_PLANS,
  ...REPOSITORY_PLANS,
  ...ISSUE_PLANS,
  ...PULL_PLANS,
  ...RELEASE_PLANS,
  ...WIKI_PLANS,
]);

/** Kinds of events that no webhook of the reference delivers, with the same content in another event where there is one. */
export const NOT_DELIVERED: readonly EventKind[] = [
  // The pull request is closed at the same time, and its record says that it is merged.
  PULL_MERGED,
  // Its title is edited at the same time.
  PULL_READY,
  // Its branches are created and deleted at the same time.
  BRANCH_RENAMED,
  // Not public yet.
  RELEASE_DRAFT_CHANGED,
  // Its pages have events of their own.
  WIKI_REFS_CHANGED,
  PULL_REVIEW_DELETED,
  PULL_REVIEW_DISMISSED,
  PULL_COMMENT_DELETED,
  PULL_COMMENT_RESOLVED,
  REPOSITORY_CHANGED,
  REPOSITORY_RENAMED,
  REPOSITORY_VISIBILITY_CHANGED,
  REPOSITORY_TOPICS_CHANGED,
  REPOSITORY_FLAGS_CHANGED,
  REPOSITORY_PURGED,
  COLLABORATOR_CHANGED,
  COLLABORATOR_REMOVED,
  ISSUE_SUBSCRIBED,
  ISSUE_UNSUBSCRIBED,
  ...Object.values(reactions),
  ...Object.values(dependencies),
  ...Object.values(marks),
  ...Object.values(times),
  ...Object.values(labels),
  ...Object.values(milestones),
  ...Object.values(stars),
  ...Object.values(transfers),
  ...Object.values(largeFiles),
  ...Object.values(pushMirrors),
  ...Object.values(adoption),
  ...Object.values(quotas),
  ...Object.values(keys),
  ...Object.values(protections),
  ...Object.values(accounts),
  ...Object.values(blocks),
  ...Object.values(external),
  ...Object.values(follows),
  ...Object.values(organizations),
  ...Object.values(teams),
  ...Object.values(tokens),
  ...Object.values(sessions),
  ...Object.values(recovery),
  ...Object.values(signUp),
  ...Object.values(secondFactors),
  ...Object.values(oauth),
  ...Object.values(oauthGrants),
  ...Object.values(WEBHOOK_EVENTS).flatMap((events): readonly EventKind[] => Object.values(events)),
];

/** Kinds of events for which webhooks may have deliveries. */
export const DELIVERED_KINDS: readonly EventKind[] = [...PLANS.keys()].map((name) => ({ name }));

/** Returns the deliveries that follow from an event, in their order. */
export function planDeliveries(event: RecordedEvent): readonly PlannedDelivery[] {
  return PLANS.get(event.kind)?.(event) ?? [];
}
