import { SYSTEM, type Viewer } from '../../api/access/viewer.ts';
import type { Db, Tx } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { IssueState } from './model.ts';
import type { NewEntry } from './models/entries.ts';
import { ISSUE_CLOSED } from './models/events.ts';
import { about, moveIssue } from './record.ts';
import { deleteEntry } from './store/comments.ts';
import { type EntryOrigin, insertEntries, insertEntryOfEach } from './store/entries.ts';
import { type AuthoredIssue, findIssuesByIds } from './store/issues.ts';

// Changes of issues that follow from something else than a request for the issue. The caller has locked its repository.

/** Finds an issue by its id, without checking who may read it. */
export async function findIssueById(
  db: Db,
  id: number,
  viewer: Viewer = SYSTEM,
): Promise<AuthoredIssue | undefined> {
  const [found] = await findIssuesByIds(db, viewer, [id]);
  return found;
}

/**
 * Adds entries to the timeline of an issue.
 *
 * @param by.authorId null: the server, or a key
 */
export async function addEntriesOf(
  tx: Tx,
  issue: { readonly id: number; readonly repositoryId: RepositoryId },
  by: { readonly authorId: number | null; readonly at: number },
  entries: readonly NewEntry[],
): Promise<void> {
  await insertEntries(tx, { issue, ...by }, entries);
}

/** Adds one entry to the timeline of each issue. @param by as for `addEntriesOf` */
export function addEntryOfEach(
  tx: Tx,
  by: { readonly authorId: number | null; readonly at: number },
  entries: readonly { readonly issue: EntryOrigin['issue']; readonly entry: NewEntry }[],
): Promise<void> {
  return insertEntryOfEach(tx, by, entries);
}

/** Deletes an entry of a timeline. */
export function deleteEntryOf(tx: Tx, id: number): Promise<void> {
  return deleteEntry(tx, id);
}

/**
 * Closes an issue, even if it depends on open ones.
 *
 * @param by.authorId whose action closes it; null: the server, or a key
 * @param why the entry in its timeline
 * @returns the issue after the change
 */
export async function closeIssueFor(
  tx: Tx,
  before: IssueState,
  by: { readonly authorId: number | null; readonly at: number },
  why: NewEntry = { kind: 'close' },
): Promise<IssueState> {
  const after = { ...before, isClosed: true, closedAt: by.at, updatedAt: by.at };
  await moveIssue(tx, before, after);
  await insertEntries(tx, { issue: after, ...by }, [why]);
  const { repositoryId } = after;
  const byMerge = why.kind === 'merge_pull' ? ({ byMerge: true } as const) : {};
  const payload = { ...about(after), ...byMerge };
  await insertEvent(tx, ISSUE_CLOSED, { actorId: by.authorId, repositoryId, payload });
  return after;
}
