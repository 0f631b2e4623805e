import type { SignedIn } from '../../../api/access/viewer.ts';
import { invalid } from '../../../base/core/failure.ts';
import { hasUnseen, isPlainLine } from '../../../base/core/text/text.ts';
import { requireAuthorOrWriter, requireNotLocked } from '../access.ts';
import { ISSUE } from '../actions.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import { ISSUE_COMMENT_CHANGED } from '../models/comment-events.ts';
import { ISSUE_CHANGED } from '../models/events.ts';
import { about, announce, moveIssue, type Recording } from '../record.ts';
import { setComment } from '../store/comments.ts';
import type { PermittedSubject, SubjectPath } from '../subjects.ts';

/** The action that a change of attachments needs on their issue or comment. */
export function changeOf({ on }: Pick<SubjectPath, 'on'>) {
  return on === 'issue' ? ISSUE.change : ISSUE.changeComment;
}

/** @throws ForgeError `forbidden` unless the viewer is the author of the issue or the comment, or may write */
export function requireMayChange(viewer: SignedIn, { issue, comment }: PermittedSubject): void {
  const action = changeOf({ on: comment === null ? 'issue' : 'comment' });
  requireAuthorOrWriter(viewer, issue.permitted, comment ?? issue.state, action);
}

/** @throws ForgeError as `requireMayChange`, and `forbidden` if the issue is locked */
export function requireMayAdd(viewer: SignedIn, found: PermittedSubject): void {
  requireMayChange(viewer, found);
  requireNotLocked(found.issue.permitted, found.issue.state);
}

/** @throws ForgeError `invalid` */
export function validName(text: string): string {
  const name = text.trim();
  const charsMax = ISSUE_LIMITS.issueAttachmentNameCharsMax;
  // A client takes `.` and `..` in the address of a file for folders.
  const isUsable = isPlainLine(name) && !hasUnseen(name) && !/^\.{0,2}$|[/\\]/.test(name);
  if (!isUsable || name.length > charsMax)
    throw invalid(
      `the name of a file has 1 to ${charsMax} visible characters, without slashes, and is not "." or ".."`,
    );
  return name;
}

/** Records that the attachments of an issue or a comment have changed. Call it after all other writes. */
export async function recordChange(
  recording: Recording,
  { issue, comment }: PermittedSubject,
): Promise<void> {
  const { tx, at } = recording;
  const { state } = issue;
  if (comment !== null) await setComment(tx, comment.id, comment.body, at);
  await moveIssue(tx, state, { ...state, updatedAt: at });
  if (comment === null)
    await announce(recording, ISSUE_CHANGED, state, { ...about(state), changed: ['attachments'] });
  else await announce(recording, ISSUE_COMMENT_CHANGED, state, { ...about(state), commentId: comment.id });
}
