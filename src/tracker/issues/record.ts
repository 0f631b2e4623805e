import type { SignedIn } from '../../api/access/viewer.ts';
import type { Tx } from '../../base/database/database.ts';
import type { EventKind, FormerValues } from '../../base/events/model.ts';
import { insertEvent } from '../../base/events/store.ts';
import { addToRepositoryCounts } from '../../hosting/repositories/writes.ts';
import { addToLabelCounts } from '../labels/writes.ts';
import { addToMilestoneCounts } from '../milestones/writes.ts';
import type { IssueState } from './model.ts';
import type { NewEntry } from './models/entries.ts';
import { ISSUE_ASSIGNEES_CHANGED, ISSUE_LABELS_CHANGED, type Numbered } from './models/events.ts';
import { insertEntries } from './store/entries.ts';
import { setIssue } from './store/issues.ts';
import { deleteLinks, insertLinks, listLinks } from './store/links.ts';

/** A change of one issue in a transaction, for functions that write its effects. */
export interface Recording {
  readonly tx: Tx;
  readonly viewer: SignedIn;
  /** ms */
  readonly at: number;
}

/** Writes the new columns of an issue, and the counts that depend on them. */
export async function moveIssue(tx: Tx, before: IssueState, after: IssueState): Promise<void> {
  await setIssue(tx, after);
  await countComments(tx, after, after.commentsCount - before.commentsCount);
  if (before.isClosed !== after.isClosed) {
    await countInRepository(tx, before, -1);
    await countInRepository(tx, after, 1);
  }
  if (before.milestoneId === after.milestoneId && before.isClosed === after.isClosed) return;
  await countInMilestone(tx, before, -1);
  await countInMilestone(tx, after, 1);
}

export async function countInRepository(
  tx: Tx,
  { repositoryId, isClosed, isPull }: IssueState,
  by: 1 | -1,
): Promise<void> {
  const ofIssues = isClosed ? { closedIssues: by } : { openIssues: by };
  const ofPulls = isClosed ? { closedPulls: by } : { openPulls: by };
  await addToRepositoryCounts(tx, [repositoryId], isPull ? ofPulls : ofIssues);
}

/** Adds to the number of comments in a repository, including comments of pull requests. */
export async function countComments(
  tx: Tx,
  { repositoryId }: Pick<IssueState, 'repositoryId'>,
  by: number,
): Promise<void> {
  if (by !== 0) await addToRepositoryCounts(tx, [repositoryId], { comments: by });
}

export async function countInMilestone(
  tx: Tx,
  { milestoneId, isClosed }: IssueState,
  by: 1 | -1,
): Promise<void> {
  if (milestoneId !== null)
    await addToMilestoneCounts(tx, milestoneId, isClosed ? { closed: by } : { open: by });
}

/** Ids that a change adds to a set and removes from it. */
interface SetChange {
  readonly added: readonly number[];
  readonly removed: readonly number[];
}

export function setChange(before: readonly number[], after: readonly number[]): SetChange {
  return {
    added: after.filter((id) => !before.includes(id)),
    removed: before.filter((id) => !after.includes(id)),
  };
}

export function isEmptyChange({ added, removed }: SetChange): boolean {
  return added.length === 0 && removed.length === 0;
}

export async function moveLabels(recording: Recording, issue: IssueState, change: SetChange): Promise<void> {
  if (isEmptyChange(change)) return;
  const { tx } = recording;
  const { added, removed } = change;
  await deleteLinks(tx, 'labels', issue.id, removed);
  await insertLinks(tx, 'labels', issue, added);
  await addToLabelCounts(tx, removed, -1);
  await addToLabelCounts(tx, added, 1);
  await addEntries(recording, issue, [
    ...removed.map((labelId): NewEntry => ({ kind: 'label', details: { labelId, isRemoved: true } })),
    ...added.map((labelId): NewEntry => ({ kind: 'label', details: { labelId } })),
  ]);
  await announce(recording, ISSUE_LABELS_CHANGED, issue, { ...about(issue), ...change });
}

/** Makes these the labels of an issue. @param ids of labels that the repository offers */
export async function replaceLabels(
  recording: Recording,
  issue: IssueState,
  ids: readonly number[],
): Promise<void> {
  const before = await listLinks(recording.tx, 'labels', issue.id);
  await moveLabels(recording, issue, setChange(before, ids));
}

export async function moveAssignees(
  recording: Recording,
  issue: IssueState,
  change: SetChange,
): Promise<void> {
  if (isEmptyChange(change)) return;
  const { tx } = recording;
  const { added, removed } = change;
  await deleteLinks(tx, 'assignees', issue.id, removed);
  await insertLinks(tx, 'assignees', issue, added);
  await addEntries(recording, issue, [
    ...removed.map((accountId): NewEntry => ({ kind: 'assignees', details: { accountId, isRemoved: true } })),
    ...added.map((accountId): NewEntry => ({ kind: 'assignees', details: { accountId } })),
  ]);
  await announce(recording, ISSUE_ASSIGNEES_CHANGED, issue, { ...about(issue), ...change });
}

/** Adds entries to the timeline of an issue. @returns their ids */
export function addEntries(
  { tx, viewer, at }: Recording,
  issue: { readonly id: number; readonly repositoryId: number },
  entries: readonly NewEntry[],
): Promise<readonly number[]> {
  return insertEntries(tx, { issue, authorId: viewer.accountId, at }, entries);
}

/** Adds an event about an issue. Call it after all other writes: see `insertEvent`. */
export function announce<Payload>(
  { tx, viewer }: Recording,
  kind: EventKind<Payload>,
  { repositoryId }: { readonly repositoryId: number },
  payload: NoInfer<Payload>,
  former?: FormerValues,
): Promise<void> {
  return insertEvent(tx, kind, {
    actorId: viewer.accountId,
    repositoryId,
    payload,
    ...(former && { former }),
  });
}

export function about({ id, number, isPull }: IssueState): Numbered {
  return { issueId: id, number, isPull };
}
