/**
 * Names of events that a delivery is for, as the headers of deliveries and lists of events have them.
 *
 * @see https://forgejo.org/docs/latest/user/webhooks/
 */
export const EVENT_NAMES = [
  'push',
  'create',
  'delete',
  'fork',
  'issues',
  'issue_assign',
  'issue_label',
  'issue_milestone',
  'issue_comment',
  'pull_request',
  'pull_request_assign',
  'pull_request_label',
  'pull_request_milestone',
  'pull_request_comment',
  'pull_request_review_approved',
  'pull_request_review_rejected',
  'pull_request_review_comment',
  'pull_request_sync',
  'pull_request_review_request',
  'wiki',
  'repository',
  'release',
  'package',
  'status',
  'workflow_run',
  'workflow_job',
] as const;
export type EventName = (typeof EVENT_NAMES)[number];

/** What a name in the list of a webhook covers, where that is not the event with this name alone. */
const GROUPS: Readonly<Record<string, readonly EventName[]>> = {
  issues: ['issues', 'issue_assign', 'issue_label', 'issue_milestone'],
  issues_only: ['issues'],
  pull_request: [
    'pull_request',
    'pull_request_assign',
    'pull_request_label',
    'pull_request_milestone',
    'pull_request_sync',
    'pull_request_review_request',
  ],
  pull_request_only: ['pull_request'],
  pull_request_review: [
    'pull_request_review_approved',
    'pull_request_review_rejected',
    'pull_request_review_comment',
  ],
};

const EVERY = new Set<string>(EVENT_NAMES);

/** Whether a webhook can list a name. `send_everything` and `*` stand for all events. */
export function isListable(name: string): boolean {
  return EVERY.has(name) || Object.hasOwn(GROUPS, name) || isEverything(name);
}

function isEverything(name: string): boolean {
  return name === '*' || name === 'send_everything';
}

/** Returns the events that the list of a webhook covers. */
export function coveredBy(names: readonly string[]): ReadonlySet<EventName> {
  if (names.some(isEverything)) return new Set(EVENT_NAMES);
  return new Set(names.flatMap((name) => GROUPS[name] ?? EVENT_NAMES.filter((each) => each === name)));
}

/** Returns the value of the headers `X-…-Event`, which is the same for several events. */
export function headerOf(name: EventName): string {
  if (name.startsWith('issue_') && name !== 'issue_comment') return 'issues';
  if (name === 'pull_request_comment') return 'issue_comment';
  if (name.startsWith('pull_request_review_') && name !== 'pull_request_review_request')
    return `pull_request_${name.slice('pull_request_review_'.length)}`;
  return name.startsWith('pull_request_') ? 'pull_request' : name;
}
