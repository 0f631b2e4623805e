import { isOfKind, type RecordedEvent } from '../../base/events/model.ts';
import { ISSUE_COMMENT_CHANGED, ISSUE_COMMENT_CREATED } from '../issues/models/comment-events.ts';
import {
  ISSUE_ASSIGNEES_CHANGED,
  ISSUE_CHANGED,
  ISSUE_CLOSED,
  ISSUE_CREATED,
  ISSUE_REOPENED,
  type Numbered,
} from '../issues/models/events.ts';
import {
  PULL_COMMENT_CREATED,
  PULL_REVIEW_DISMISSED,
  PULL_REVIEW_REQUESTED,
  PULL_REVIEWED,
} from '../pulls/events.ts';

/** An event of an issue, and whom to notify of it. */
export interface Notice {
  readonly issueId: number;
  /** A pull request. Notices of pending jobs may lack it. */
  readonly isPull?: boolean | undefined;
  readonly repositoryId: number;
  readonly actorId: number | null;
  readonly position: number;
  /** positions of the events for which it also stands. Notices of pending jobs may lack them. */
  readonly earlier?: readonly number[] | undefined;
  /** ms */
  readonly at: number;
  /**
   * `concerned`: everyone whom the issue concerns. `mentioned`: those whom it mentions, once. Otherwise these accounts, or
   * the members of a team.
   */
  readonly to: 'concerned' | 'mentioned' | readonly number[] | { readonly teamId: number };
}

const FOR_ALL = [ISSUE_CREATED, ISSUE_COMMENT_CREATED, ISSUE_CLOSED, ISSUE_REOPENED] as const;
export const NOTIFIED_KINDS = [
  ...FOR_ALL,
  ISSUE_CHANGED,
  ISSUE_COMMENT_CHANGED,
  ISSUE_ASSIGNEES_CHANGED,
  PULL_REVIEWED,
  PULL_COMMENT_CREATED,
  PULL_REVIEW_REQUESTED,
  PULL_REVIEW_DISMISSED,
];

/**
 * Returns whom events concern, in their order. Of several events of one actor on one issue that concern the same people,
 * the last one stands for all.
 */
export function noticesOf(events: readonly RecordedEvent[]): readonly Notice[] {
  const notices = new Map<string, Notice>();
  for (const event of events) {
    const notice = noticeOf(event);
    if (notice === undefined) continue;
    const key = JSON.stringify([notice.issueId, notice.actorId, notice.to]);
    const former = notices.get(key);
    // A map lists keys in the order in which they came.
    notices.delete(key);
    const earlier = former && [...(former.earlier ?? []), former.position];
    notices.set(key, earlier === undefined ? notice : { ...notice, earlier });
  }
  return [...notices.values()];
}

function noticeOf(event: RecordedEvent): Notice | undefined {
  const { repositoryId, actorId, position, at } = event;
  if (repositoryId === null) return undefined;
  const of = { repositoryId, actorId, position, at };
  if (isOfKind(event, ISSUE_ASSIGNEES_CHANGED)) return { ...of, ...issueOf(event), to: event.payload.added };
  if (isOfKind(event, ISSUE_CHANGED)) {
    const { changed } = event.payload;
    return changed.includes('body') ? { ...of, ...issueOf(event), to: 'mentioned' } : undefined;
  }
  if (isOfKind(event, ISSUE_COMMENT_CHANGED)) return { ...of, ...issueOf(event), to: 'mentioned' };
  if (isOfKind(event, PULL_REVIEW_REQUESTED)) return requestOf(event, of);
  if (isOfKind(event, PULL_REVIEWED)) return { ...of, ...pullOf(event), to: 'concerned' };
  if (isOfKind(event, PULL_COMMENT_CREATED)) return { ...of, ...pullOf(event), to: 'concerned' };
  if (isOfKind(event, PULL_REVIEW_DISMISSED) && event.payload.isDismissed)
    return { ...of, ...pullOf(event), to: 'concerned' };
  for (const kind of FOR_ALL) if (isOfKind(event, kind)) return { ...of, ...issueOf(event), to: 'concerned' };
  return undefined;
}

type OfEvent = Pick<Notice, 'repositoryId' | 'actorId' | 'position' | 'at'>;

/** @returns undefined for a request that was taken back */
function requestOf(
  { payload }: RecordedEvent<NonNullable<(typeof PULL_REVIEW_REQUESTED)['payload']>>,
  of: OfEvent,
): Notice | undefined {
  const { issueId, accountId, teamId, isRemoved } = payload;
  if (isRemoved) return undefined;
  return { ...of, issueId, isPull: true, to: teamId === null ? [accountId] : { teamId } };
}

function pullOf({ payload: { issueId } }: { readonly payload: { readonly issueId: number } }) {
  return { issueId, isPull: true };
}

function issueOf({ payload: { issueId, isPull } }: { readonly payload: Numbered }) {
  return { issueId, isPull };
}
