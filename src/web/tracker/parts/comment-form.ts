import { type Html, html } from '../../../base/core/text/html.ts';
import type { Issue } from '../../../tracker/issues/model.ts';
import { textField } from './fields.ts';
import { PREVIEW_BUTTON } from './preview.ts';
import { issueFormPath, postForm, type TrackerView } from './view.ts';

interface CommentForm {
  readonly issue: Issue;
  /** whether the viewer may also close or reopen the issue */
  readonly mayClose: boolean;
  /** what was typed before */
  readonly text?: string;
}

/** Returns the form at the end of a thread: a comment, and a button that also closes or reopens. */
export function commentForm(view: TrackerView, { issue, mayClose, text = '' }: CommentForm): Html {
  const noun = issue.isPull ? 'pull request' : 'issue';
  const isMerged = issue.pull !== null && issue.pull.mergedAt !== null;
  const state =
    !mayClose || isMerged
      ? html``
      : html`<button name="status" value="${issue.isClosed ? 'reopen' : 'close'}" formnovalidate>${issue.isClosed ? 'Reopen' : 'Close'} ${noun}</button>`;
  return postForm(view, {
    action: `${issueFormPath(issue)}/comments`,
    look: 'form wide',
    content: html`${textField({ name: 'content', label: 'Comment', text, isRequired: true })}
<div class="row buttons"><span class="hint">Markdown works here.</span><span class="end row">${PREVIEW_BUTTON}${state}<button class="primary">Comment</button></span></div>`,
  });
}
