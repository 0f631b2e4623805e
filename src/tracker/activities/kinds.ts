import type { EventKind, RecordedEvent } from '../../base/events/model.ts';
import { isOfKind } from '../../base/events/model.ts';
import { REFS_CHANGED, REPOSITORY_CREATED, REPOSITORY_RENAMED } from '../../hosting/repositories/events.ts';
import { REPOSITORY_STARRED } from '../../hosting/stars/events.ts';
import { REPOSITORY_TRANSFERRED } from '../../hosting/transfers/events.ts';
import { ISSUE_COMMENT_CREATED } from '../issues/models/comment-events.ts';
import { ISSUE_CLOSED, ISSUE_CREATED, ISSUE_REOPENED, PULL_READY } from '../issues/models/events.ts';
import { PULL_COMMENT_CREATED, PULL_MERGED, PULL_REVIEW_DISMISSED, PULL_REVIEWED } from '../pulls/events.ts';
import { RELEASE_PUBLISHED } from '../releases/events.ts';
import { ACTIVITY_LIMITS } from './limits.ts';
import type { Draft, OpType, RefMove } from './model.ts';

interface Derivation {
  readonly kind: EventKind;
  readonly drafts: (event: RecordedEvent) => readonly Draft[];
}

function derived<Payload>(
  kind: EventKind<Payload>,
  drafts: (payload: Payload, event: RecordedEvent) => readonly Draft[],
): Derivation {
  return { kind, drafts: (event) => (isOfKind(event, kind) ? drafts(event.payload, event) : []) };
}

/**
 * Which activities follow from an event of each kind. A feature that has a new kind adds it here, or names it in
 * `WITHOUT_ACTIVITY` of the test. An activity has the actor, the repository and the time of its event.
 */
const DERIVATIONS: readonly Derivation[] = [
  derived(REPOSITORY_CREATED, () => [{ opType: 'create_repo', unit: 'any' }]),
  derived(REPOSITORY_RENAMED, ({ from }) => [
    { opType: 'rename_repo', unit: 'any', content: from.slice(from.indexOf('/') + 1) },
  ]),
  derived(REPOSITORY_TRANSFERRED, ({ from, fromId }) => [
    { opType: 'transfer_repo', unit: 'any', content: from, formerOwnerId: fromId },
  ]),
  derived(REPOSITORY_STARRED, () => [{ opType: 'star_repo', unit: 'any' }]),
  // The first refs of a repository belong to its creation: an import does not flood the feeds.
  derived(REFS_CHANGED, ({ updates, via, ofCreation }) =>
    ofCreation === true
      ? []
      : updates
          .flatMap((update) => draftsOfUpdate(update, via === 'mirror'))
          .slice(0, ACTIVITY_LIMITS.refsPerPushMax),
  ),
  derived(ISSUE_CREATED, ({ issueId, isPull }) => [
    ofIssue(issueId, isPull, { issue: 'create_issue', pull: 'create_pull_request' }),
  ]),
  // The event of the merge comes next.
  derived(ISSUE_CLOSED, ({ issueId, isPull, byMerge }) =>
    byMerge === true ? [] : [ofIssue(issueId, isPull, { issue: 'close_issue', pull: 'close_pull_request' })],
  ),
  derived(ISSUE_REOPENED, ({ issueId, isPull }) => [
    ofIssue(issueId, isPull, { issue: 'reopen_issue', pull: 'reopen_pull_request' }),
  ]),
  derived(ISSUE_COMMENT_CREATED, ({ issueId, isPull, commentId: entryId }) => [
    { ...ofIssue(issueId, isPull, { issue: 'comment_issue', pull: 'comment_pull' }), entryId },
  ]),
  derived(PULL_READY, ({ issueId }) => [ofPull(issueId, 'pull_request_ready_for_review')]),
  derived(PULL_MERGED, ({ issueId, isScheduled }) => [
    ofPull(issueId, isScheduled === true ? 'auto_merge_pull_request' : 'merge_pull_request'),
  ]),
  derived(PULL_REVIEWED, ({ issueId, reviewId, state }) => [
    { ...ofPull(issueId, VERDICTS[state]), reviewId },
  ]),
  derived(PULL_REVIEW_DISMISSED, ({ issueId, reviewId, isDismissed }) =>
    isDismissed ? [{ ...ofPull(issueId, 'pull_review_dismissed'), reviewId }] : [],
  ),
  derived(PULL_COMMENT_CREATED, ({ issueId, commentId: lineCommentId }) => [
    { ...ofPull(issueId, 'comment_pull'), lineCommentId },
  ]),
  derived(RELEASE_PUBLISHED, ({ tag, title }) => [
    { opType: 'publish_release', unit: 'releases', refName: tag, content: title },
  ]),
];

const VERDICTS = {
  approved: 'approve_pull_request',
  rejected: 'reject_pull_request',
  comment: 'comment_pull',
} as const;

const BY_NAME = new Map(DERIVATIONS.map((derivation) => [derivation.kind.name, derivation]));

/** The kinds of events from which activities follow. */
export const ACTIVITY_KINDS: readonly EventKind[] = DERIVATIONS.map(({ kind }) => kind);

export function draftsOf(event: RecordedEvent): readonly Draft[] {
  return BY_NAME.get(event.kind)?.drafts(event) ?? [];
}

function ofIssue(
  issueId: number,
  isPull: boolean | undefined,
  types: { issue: OpType; pull: OpType },
): Draft {
  return isPull === true ? ofPull(issueId, types.pull) : { opType: types.issue, unit: 'issues', issueId };
}

function ofPull(issueId: number, opType: OpType): Draft {
  return { opType, unit: 'pulls', issueId };
}

const BRANCHES = 'refs/heads/';
const TAGS = 'refs/tags/';

/** Refs that are neither branches nor tags are in no feed. */
function draftsOfUpdate({ ref, ...move }: RefMove & { readonly ref: string }, isMirror: boolean): Draft[] {
  const isTag = ref.startsWith(TAGS);
  if (!isTag && !ref.startsWith(BRANCHES)) return [];
  const of = { unit: 'code', refName: ref } as const;
  const isDeleted = move.new === null;
  if (isMirror) {
    if (isDeleted) return [{ ...of, opType: 'mirror_sync_delete' }];
    if (move.old === null) return [{ ...of, opType: 'mirror_sync_create' }];
    return [{ ...of, opType: 'mirror_sync_push', move }];
  }
  if (isTag) return [{ ...of, opType: isDeleted ? 'delete_tag' : 'push_tag', move }];
  return [isDeleted ? { ...of, opType: 'delete_branch' } : { ...of, opType: 'commit_repo', move }];
}
