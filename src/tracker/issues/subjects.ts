import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import type { Db, Tx } from '../../base/database/database.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';
import { requireKind, type TrackerAction } from '../../hosting/repositories/tracker.ts';
import { type IssueAccess, type IssuePath, type PermittedIssue, readIssue, requireIssue } from './access.ts';
import type { Subject } from './model.ts';
import type { CommentPath } from './models/comments.ts';
import { type CommentEntry, findEntry } from './store/comments.ts';

/** What a request names: an issue, or one of its comments. */
export type SubjectPath =
  | { readonly on: 'issue'; readonly path: IssuePath }
  | { readonly on: 'comment'; readonly path: CommentPath };

/** An issue or a comment that was looked up and authorized for a viewer. */
export interface PermittedSubject {
  readonly issue: PermittedIssue;
  /** null: the issue itself */
  readonly comment: CommentEntry | null;
  readonly subject: Subject;
}

/** @throws ForgeError as `IssueAccess.get`, and `not_found` for a missing comment */
export async function getSubject(
  db: Db,
  viewer: Viewer,
  { access, at, action }: { access: IssueAccess; at: SubjectPath; action: TrackerAction },
): Promise<PermittedSubject> {
  return findSubject(db, viewer, await access.repository(viewer, at.path.repository, action), { at, action });
}

/**
 * Changes something of an issue or a comment, as `IssueAccess.change`.
 *
 * @throws ForgeError as `IssueAccess.change`, and `not_found` for a missing comment
 */
export function changeSubject<T>(
  viewer: SignedIn,
  { access, at, action }: { access: IssueAccess; at: SubjectPath; action: TrackerAction },
  change: (tx: Tx, permitted: PermittedSubject) => Promise<T>,
): Promise<T> {
  return access.changeIn(viewer, at.path.repository, action, async (tx, permitted) =>
    change(tx, await findSubject(tx, viewer, permitted, { at, action })),
  );
}

/**
 * Finds an issue or a comment in a repository that was looked up for the viewer, and authorizes the action on its kind.
 *
 * @throws ForgeError as `getSubject`
 */
export async function findSubject(
  db: Db,
  viewer: Viewer,
  permitted: PermittedRepository,
  { at: { on, path }, action }: { readonly at: SubjectPath; readonly action: TrackerAction },
): Promise<PermittedSubject> {
  if (on === 'issue') {
    const issue = await requireIssue(db, viewer, permitted, { number: path.number, action });
    return { issue, comment: null, subject: { issueId: issue.state.id, entryId: null } };
  }
  const comment = await findEntry(db, viewer, permitted.repository.id, path.id);
  if (comment?.kind !== 'comment') throw notFound('comment');
  requireKind(viewer, permitted, { action, what: 'comment' }, comment);
  const issue = await readIssue(db, viewer, permitted, { number: comment.number, action });
  return { issue, comment, subject: { issueId: issue.state.id, entryId: comment.id } };
}
