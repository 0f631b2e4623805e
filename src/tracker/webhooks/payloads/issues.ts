import type { SignedIn } from '../../../api/access/viewer.ts';
import { undefinedIf } from '../../../base/core/failure.ts';
import type { FormerValues, RecordedEvent } from '../../../base/events/model.ts';
import { ISSUE } from '../../issues/actions.ts';
import { presentComment } from '../../issues/discussion/comments/present.ts';
import type { Issue } from '../../issues/model.ts';
import {
  ISSUE_COMMENT_CHANGED,
  ISSUE_COMMENT_CREATED,
  ISSUE_COMMENT_DELETED,
} from '../../issues/models/comment-events.ts';
import {
  ISSUE_ASSIGNEES_CHANGED,
  ISSUE_CHANGED,
  ISSUE_CLOSED,
  ISSUE_CREATED,
  ISSUE_DELETED,
  ISSUE_LABELS_CHANGED,
  ISSUE_REOPENED,
  type Numbered,
} from '../../issues/models/events.ts';
import { issueAddresses, presentIssue } from '../../issues/present.ts';
import { PULL } from '../../pulls/actions.ts';
import { presentPull } from '../../pulls/present.ts';
import type { EventName } from '../event-names.ts';
import type { Payload } from '../model.ts';
import { type PayloadServices, type PlannedDelivery, plannedFor } from './model.ts';
import { outsider, type Scene, sceneOf } from './scene.ts';

/** Suffixes of the names of events about issues and pull requests. */
type About = '' | '_assign' | '_label' | '_milestone';

/** What a payload says about an issue or a pull request besides the object itself. */
export interface IssueNews {
  /** of the payload, or how it follows from the issue as it is now */
  readonly action: string | ((issue: Issue) => string);
  readonly changes?: Payload;
  readonly also?: Payload;
}

type OfIssue = RecordedEvent<Numbered>;

/** Deliveries about issues and pull requests, and about their comments. */
export const ISSUE_PLANS = [
  // A new pull request has an event of its own.
  plannedFor(ISSUE_CREATED, (event) =>
    event.payload.isPull === true ? [] : [issuePlan(event, '', { action: 'opened' })],
  ),
  plannedFor(ISSUE_CLOSED, (event) => [issuePlan(event, '', { action: 'closed' })]),
  plannedFor(ISSUE_REOPENED, (event) => [issuePlan(event, '', { action: 'reopened' })]),
  plannedFor(ISSUE_CHANGED, editPlans),
  plannedFor(ISSUE_LABELS_CHANGED, (event) => [
    issuePlan(event, '_label', {
      action: ({ labels }) => (labels.length === 0 ? 'label_cleared' : 'label_updated'),
    }),
  ]),
  plannedFor(ISSUE_ASSIGNEES_CHANGED, (event) => {
    const { added, removed } = event.payload;
    return [
      ...(removed.length > 0 ? [issuePlan(event, '_assign', { action: 'unassigned' })] : []),
      ...(added.length > 0 ? [issuePlan(event, '_assign', { action: 'assigned' })] : []),
    ];
  }),
  plannedFor(ISSUE_DELETED, (event) => [
    {
      name: event.payload.isPull === true ? 'pull_request' : 'issues',
      branch: null,
      read: (use, viewer) => readDeletedIssue(use, viewer, event),
    },
  ]),
  plannedFor(ISSUE_COMMENT_CREATED, (event) => [commentPlan(event, 'created')]),
  plannedFor(ISSUE_COMMENT_CHANGED, (event) => [commentPlan(event, 'edited')]),
  plannedFor(ISSUE_COMMENT_DELETED, (event) => [commentPlan(event, 'deleted')]),
];

/** Fields of an issue whose changes are an edit. A deadline is no part of any event. */
const EDITED = ['title', 'body', 'ref', 'attachments'];

function editPlans(
  event: RecordedEvent<Numbered & { changed: readonly string[] }>,
): readonly PlannedDelivery[] {
  const { changed } = event.payload;
  const plans: PlannedDelivery[] = [];
  if (changed.some((field) => EDITED.includes(field)))
    plans.push(issuePlan(event, '', { action: 'edited', changes: changesOf(event.former) }));
  if (changed.includes('milestoneId'))
    plans.push(
      issuePlan(event, '_milestone', {
        action: ({ milestone }) => (milestone === null ? 'demilestoned' : 'milestoned'),
      }),
    );
  return plans;
}

/** The event log has no former texts of bodies. */
function changesOf(former: FormerValues | null): Payload {
  const known = Object.entries(former ?? {}).filter(([name]) => name === 'title' || name === 'ref');
  return Object.fromEntries(known.map(([name, from]) => [name, { from }]));
}

function issuePlan(event: OfIssue, about: About, news: IssueNews): PlannedDelivery {
  const isPull = event.payload.isPull === true;
  const name: EventName = isPull ? `pull_request${about}` : about === '' ? 'issues' : `issue${about}`;
  return {
    name,
    branch: null,
    read: (use, viewer) => (isPull ? readPull : readIssue)(use, viewer, event, news),
  };
}

async function readIssue(
  use: PayloadServices,
  viewer: SignedIn,
  event: OfIssue,
  { action, changes }: IssueNews,
): Promise<Payload> {
  const { number } = event.payload;
  const { path, common } = await sceneOf(use, viewer, event, ISSUE.read);
  const issue = await use.issues.get(viewer, { repository: path, number: `${number}` });
  return {
    action: typeof action === 'string' ? action : action(issue),
    number,
    issue: presentIssue(issue, outsider(viewer), use.addresses),
    ...(changes === undefined ? {} : { changes }),
    ...common,
    commit_id: '',
  };
}

/** Reads the payload of an event about a pull request. */
export async function readPull(
  use: PayloadServices,
  viewer: SignedIn,
  event: RecordedEvent<Pick<Numbered, 'number'>>,
  { action, changes, also }: IssueNews,
): Promise<Payload> {
  const { number } = event.payload;
  const { path, common } = await sceneOf(use, viewer, event, PULL.read);
  const pull = await use.pulls.get(viewer, { repository: path, number: `${number}` });
  return {
    action: typeof action === 'string' ? action : action(pull.issue),
    number,
    pull_request: presentPull(pull, outsider(viewer), use.addresses),
    ...(changes === undefined ? {} : { changes }),
    requested_reviewer: null,
    ...common,
    commit_id: '',
    review: null,
    ...also,
  };
}

/** The issue is gone, so its readers get what the event has of it. */
async function readDeletedIssue(
  use: PayloadServices,
  viewer: SignedIn,
  event: RecordedEvent<Numbered & { title: string }>,
): Promise<Payload> {
  const { issueId: id, number, title, isPull = false } = event.payload;
  const { permitted, common } = await sceneOf(use, viewer, event, isPull ? PULL.read : ISSUE.read);
  const { url, htmlUrl } = issueAddresses(
    { repository: permitted.repository, number, isPull },
    use.addresses,
  );
  const gone = { id, number, title, url, html_url: htmlUrl };
  return { action: 'deleted', number, ...(isPull ? { pull_request: gone } : { issue: gone }), ...common };
}

type OfComment = RecordedEvent<Numbered & { commentId: number }>;

function commentPlan(event: OfComment, action: 'created' | 'edited' | 'deleted'): PlannedDelivery {
  return {
    name: event.payload.isPull === true ? 'pull_request_comment' : 'issue_comment',
    branch: null,
    read: (use, viewer) => readComment(use, viewer, event, action),
  };
}

async function readComment(
  use: PayloadServices,
  viewer: SignedIn,
  event: OfComment,
  action: string,
): Promise<Payload | undefined> {
  const { number, commentId, isPull = false } = event.payload;
  const scene = await sceneOf(use, viewer, event, isPull ? PULL.read : ISSUE.read);
  const issuePath = { repository: scene.path, number: `${number}` };
  const issue = await use.issues.get(viewer, issuePath);
  const comment =
    action === 'deleted'
      ? { id: commentId, html_url: presentIssue(issue, outsider(viewer), use.addresses).html_url }
      : await presentedComment(use, viewer, scene, commentId);
  if (comment === undefined) return undefined;
  const pull = isPull ? await use.pulls.get(viewer, issuePath) : undefined;
  return {
    action,
    issue: presentIssue(issue, outsider(viewer), use.addresses),
    comment,
    ...(action === 'edited' ? { changes: {} } : {}),
    ...scene.common,
    is_pull: isPull,
    ...(pull === undefined ? {} : { pull_request: presentPull(pull, outsider(viewer), use.addresses) }),
  };
}

async function presentedComment(
  use: PayloadServices,
  viewer: SignedIn,
  { path }: Scene,
  id: number,
): Promise<Payload | undefined> {
  const comment = await use.comments.get(viewer, { repository: path, id }).catch(undefinedIf('not_found'));
  return comment && presentComment(comment, outsider(viewer), use.addresses);
}
