import type { SignedIn } from '../../api/access/viewer.ts';
import type { Db } from '../../base/database/database.ts';
import { isOfKind, type RecordedEvent } from '../../base/events/model.ts';
import { readEventsAt } from '../../base/events/store.ts';
import type { Addresses } from '../../http/app.ts';
import { findVisibleAccounts } from '../../people/accounts/visible.ts';
import { anchorOf } from '../issues/discussion/comments/present.ts';
import { ISSUE_COMMENT_CHANGED, ISSUE_COMMENT_CREATED } from '../issues/models/comment-events.ts';
import {
  ISSUE_ASSIGNEES_CHANGED,
  ISSUE_CHANGED,
  ISSUE_CLOSED,
  ISSUE_CREATED,
  ISSUE_REOPENED,
} from '../issues/models/events.ts';
import { issueAddresses } from '../issues/present.ts';
import type { Notifications } from '../notifications/service.ts';
import {
  PULL_COMMENT_CREATED,
  PULL_REVIEW_DISMISSED,
  PULL_REVIEW_REQUESTED,
  PULL_REVIEWED,
} from '../pulls/events.ts';
import type { MailNotice, News } from './model.ts';
import { type FoundText, findTexts, listMuted, type TextSource } from './store.ts';

/** What an event says, and where its text is. */
interface Saying {
  readonly what: string;
  readonly text: { readonly from: TextSource; readonly id: number } | null;
  /** of the comment in the address of the page */
  readonly anchor: string;
}

const CLOSED = 'closed this';
const VERDICTS: Readonly<Record<string, string>> = {
  approved: 'approved this pull request',
  rejected: 'requested changes',
};

interface Dependencies {
  readonly db: Db;
  readonly notifications: Notifications;
  readonly addresses: Addresses;
}

/**
 * Returns what a user is to read, as the user may see it now: nothing about issues that the user may no longer read or has
 * muted, and no text that was deleted.
 */
export async function newsOf(
  { db, notifications, addresses }: Dependencies,
  viewer: SignedIn,
  notices: readonly MailNotice[],
): Promise<readonly News[]> {
  const issueIds = [...new Set(notices.map(({ issueId }) => issueId))];
  const muted = await listMuted(db, viewer.accountId, issueIds);
  const events = await readEventsAt(
    db,
    notices.map(({ position }) => position),
  );
  const said = new Map(events.map((event) => [event.position, { event, saying: sayingOf(event, viewer) }]));
  const texts = await readTexts(
    db,
    [...said.values()].flatMap(({ saying }) => saying?.text ?? []),
  );
  const actors = await findVisibleAccounts(
    db,
    viewer,
    events.flatMap(({ actorId }) => actorId ?? []),
  );
  // Read last, so that a text that was readable only before is not sent.
  const threads = await notifications.ofIssues(viewer, issueIds);
  return notices.flatMap(({ id, issueId, position }) => {
    const thread = muted.has(issueId) ? undefined : threads.get(issueId);
    const { event, saying } = said.get(position) ?? {};
    if (thread === undefined || event === undefined || saying === undefined) return [];
    const found = saying.text && texts[saying.text.from].get(saying.text.id);
    // The text was deleted.
    if (found === undefined) return [];
    const { repository, subject } = thread;
    const page = issueAddresses({ ...subject, repository: repository.repository }, addresses).htmlUrl;
    return [
      {
        noticeId: id,
        issueId,
        event,
        actor: event.actorId === null ? null : (actors.get(event.actorId)?.name ?? null),
        repository: repository.repository,
        subject,
        what: whatOf(saying, { path: found?.path ?? null, isMerged: subject.isMerged }),
        text: found?.body ?? '',
        url: saying.anchor === '' ? page : `${page}#${saying.anchor}`,
      },
    ];
  });
}

function whatOf({ what }: Saying, { path, isMerged }: { path: string | null; isMerged: boolean }): string {
  if (what === CLOSED && isMerged) return 'merged this';
  return path === null ? what : `${what} on ${path}`;
}

/** @returns undefined for an event that says nothing to this user */
function sayingOf(event: RecordedEvent, { accountId }: SignedIn): Saying | undefined {
  if (isOfKind(event, ISSUE_CREATED))
    return saying('opened this', { from: 'issue', id: event.payload.issueId });
  if (isOfKind(event, ISSUE_CHANGED))
    return saying('changed the description', { from: 'issue', id: event.payload.issueId });
  if (isOfKind(event, ISSUE_CLOSED)) return saying(CLOSED);
  if (isOfKind(event, ISSUE_REOPENED)) return saying('reopened this');
  if (isOfKind(event, ISSUE_ASSIGNEES_CHANGED))
    return event.payload.added.includes(accountId) ? saying('assigned this to you') : undefined;
  if (isOfKind(event, ISSUE_COMMENT_CREATED)) return comment('commented', event.payload.commentId);
  if (isOfKind(event, ISSUE_COMMENT_CHANGED)) return comment('changed a comment', event.payload.commentId);
  return sayingOfReview(event, accountId);
}

function sayingOfReview(event: RecordedEvent, accountId: number): Saying | undefined {
  if (isOfKind(event, PULL_REVIEWED)) {
    const { state, reviewId } = event.payload;
    return saying(VERDICTS[state] ?? 'reviewed this', { from: 'review', id: reviewId });
  }
  if (isOfKind(event, PULL_COMMENT_CREATED))
    return saying('commented', { from: 'line', id: event.payload.commentId });
  if (isOfKind(event, PULL_REVIEW_DISMISSED)) return saying('dismissed a review');
  if (isOfKind(event, PULL_REVIEW_REQUESTED)) {
    const isForTeam = event.payload.accountId !== accountId;
    return saying(isForTeam ? 'asked a team of yours for a review' : 'asked you for a review');
  }
  return undefined;
}

function comment(what: string, id: number): Saying {
  return { what, text: { from: 'comment', id }, anchor: anchorOf(id) };
}

function saying(what: string, text: Saying['text'] = null): Saying {
  return { what, text, anchor: '' };
}

type Texts = Readonly<Record<TextSource, ReadonlyMap<number, FoundText>>>;

async function readTexts(db: Db, wanted: readonly NonNullable<Saying['text']>[]): Promise<Texts> {
  const of = (from: TextSource) => {
    const ids = wanted.filter((text) => text.from === from).map(({ id }) => id);
    return findTexts(db, from, [...new Set(ids)]);
  };
  return {
    issue: await of('issue'),
    comment: await of('comment'),
    review: await of('review'),
    line: await of('line'),
  };
}
