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

/** An event of an issue, and whom to notify of it. */
export interface Notice {
  readonly issueId: number;
  /** A pull request. Notices of pending jobs may lack it. */
  readonly isPull?: boolean | undefined;
  readonly repositoryId: number;
  readonly actorId: number | null;
  readonly position: number;
  /** ms */
  readonly at: number;
  /** `concerned`: everyone whom the issue concerns. `mentioned`: those whom it mentions, once. Otherwise these accounts. */
  readonly to: 'concerned' | 'mentioned' | readonly number[];
}

const FOR_ALL = [ISSUE_CREATED, ISSUE_COMMENT_CREATED, ISSUE_CLOSED, ISSUE_REOPENED] as const;
export const NOTIFIED_KINDS = [...FOR_ALL, ISSUE_CHANGED, ISSUE_COMMENT_CHANGED, ISSUE_ASSIGNEES_CHANGED];

/**
 * Returns whom events concern, in their order. Of several events of one actor on one issue that concern the same people,
 * the last one stands for all.
 */
export function noticesOf(events: readonly RecordedEvent[]): readonly Notice[] {
  const notices = new Map<string, Notice>();
  for (const event of events) {
    const notice = noticeOf(event);
    if (notice === undefined) continue;
    const key = [notice.issueId, notice.actorId, notice.to].join(' ');
    // A map lists keys in the order in which they came.
    notices.delete(key);
    notices.set(key, notice);
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
  for (const kind of FOR_ALL) if (isOfKind(event, kind)) return { ...of, ...issueOf(event), to: 'concerned' };
  return undefined;
}

function issueOf({ payload: { issueId, isPull } }: { readonly payload: Numbered }) {
  return { issueId, isPull };
}
