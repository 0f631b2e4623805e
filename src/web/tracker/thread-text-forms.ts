import { hash } from 'node:crypto';
import { Type } from 'typebox';
import { conflict, notFound } from '../../base/core/failure.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { App } from '../../http/app.ts';
import { fieldOf, isChecked, longTextOf } from '../../http/pages/forms.ts';
import { ISSUE } from '../../tracker/issues/actions.ts';
import { anchorOf } from '../../tracker/issues/discussion/comments/present.ts';
import type { Comments } from '../../tracker/issues/discussion/comments/service.ts';
import type { Timelines } from '../../tracker/issues/discussion/timeline/service.ts';
import { ISSUE_LIMITS } from '../../tracker/issues/limits.ts';
import type { Issue } from '../../tracker/issues/model.ts';
import type { Comment } from '../../tracker/issues/models/comments.ts';
import { repositoryPath } from '../addresses.ts';
import { WEB_LIMITS } from '../limits.ts';
import { commentForm } from './parts/comment-form.ts';
import { lineField, textField } from './parts/fields.ts';
import { filesForm } from './parts/files-form.ts';
import { PREVIEW_BUTTON, PREVIEW_FIELD } from './parts/preview.ts';
import { rightsOf } from './parts/rights.ts';
import { issueFormPath, issuePath, postForm } from './parts/view.ts';
import {
  changeThread,
  openThread,
  sendThreadForm,
  type ThreadCall,
  type ThreadPages,
} from './thread-change.ts';
import { lastPageOf } from './thread-page.ts';

interface Dependencies extends ThreadPages {
  readonly comments: Comments;
  readonly timelines: Timelines;
}

const Params = { owner: Type.String(), repo: Type.String(), number: Type.String() };
const schema = { params: Type.Object(Params) };
const ofComment = { params: Type.Object({ ...Params, id: Type.String() }) };
/** The text of a form is longer than what it says: each character may take twelve. */
const bodyLimit = WEB_LIMITS.textFormBytesMax;
const ALL_TIMES = { since: undefined, before: undefined };

/** Registers the forms that write texts: comments, and the title and the text of an issue. */
export function threadTextForms(app: App, dependencies: Dependencies): void {
  commentForms(app, dependencies);
  changedComments(app, dependencies);
  issueTextForms(app, dependencies);
  deletion(app, dependencies);
}

function commentForms(app: App, dependencies: Dependencies): void {
  const { comments, issues } = dependencies;
  app.post(
    '/:owner/:repo/issues/:number/comments',
    { bodyLimit, config: { action: ISSUE.comment, isForm: true }, schema },
    (request, reply) => {
      let text = longTextOf(request, 'content');
      return changeThread(request, reply, dependencies, {
        text,
        async run({ viewer, path, issue }) {
          const status = fieldOf(request, 'status');
          let to: string | undefined;
          if (text.trim() !== '' || status === '') {
            const { id } = await comments.create(viewer, path, { body: text });
            text = '';
            to = `${await newestPage(dependencies, { viewer, path, issue })}#${anchorOf(id)}`;
          }
          if (status === 'close' || status === 'reopen')
            await issues.edit(viewer, path, { isClosed: status === 'close' });
          return to;
        },
        again: ({ view, issue }) =>
          commentForm(view, { issue, mayClose: rightsOf(view, issue).mayEdit, text }),
      });
    },
  );
}

/** Returns the path of the page of a thread that has its last entry. */
async function newestPage(
  { timelines }: Dependencies,
  { viewer, path, issue }: Pick<ThreadCall, 'viewer' | 'path' | 'issue'>,
): Promise<string> {
  const { total } = await timelines.list(viewer, path, ALL_TIMES, { page: 1, limit: 1 });
  const last = lastPageOf(total);
  return last === 1 ? issuePath(issue) : `${issuePath(issue)}?page=${last}`;
}

function changedComments(app: App, dependencies: Dependencies): void {
  const { comments } = dependencies;
  const config = { action: ISSUE.changeComment, isForm: true } as const;
  const editUrl = '/:owner/:repo/issues/:number/comments/:id/edit';
  app.get(editUrl, { config: { action: ISSUE.changeComment }, schema: ofComment }, async (request, reply) => {
    const call = await openThread(request, reply, dependencies);
    const comment = await requireComment(comments, call);
    const files = filesForm(
      call.view,
      `${issueFormPath(call.issue)}/comments/${comment.id}/assets`,
      comment.attachments,
    );
    const remove = postForm(call.view, {
      action: `${issueFormPath(call.issue)}/comments/${comment.id}/delete`,
      content: html`<button class="danger">Delete this comment</button>`,
    });
    return sendThreadForm(reply, call, {
      content: html`${editComment(call, comment, comment.body)}${files}${remove}`,
    });
  });
  app.post(editUrl, { bodyLimit, config, schema: ofComment }, (request, reply) =>
    changeThread(request, reply, dependencies, {
      text: longTextOf(request, 'content'),
      async run(call) {
        const { id } = await requireComment(comments, call);
        const { repository, number } = call.path;
        const text = { body: longTextOf(request, 'content') };
        await comments.edit(call.viewer, { repository, number, id }, text, ({ body }) =>
          requireVersion(call, body),
        );
        return `${issuePath(call.issue)}#${anchorOf(id)}`;
      },
      async again(call) {
        return editComment(call, await requireComment(comments, call), longTextOf(request, 'content'));
      },
    }),
  );
  app.post(
    '/:owner/:repo/issues/:number/comments/:id/delete',
    { config, schema: ofComment },
    (request, reply) =>
      changeThread(request, reply, dependencies, {
        async run(call) {
          const { id } = await requireComment(comments, call);
          const { repository, number } = call.path;
          await comments.delete(call.viewer, { repository, number, id }, () => {});
          return undefined;
        },
      }),
  );
}

/** @throws ForgeError `not_found` */
async function requireComment(comments: Comments, { request, viewer, path }: ThreadCall): Promise<Comment> {
  const id = parseId((request.params as { id: string }).id);
  const found = id === undefined ? undefined : await comments.get(viewer, { ...path, id });
  if (found === undefined) throw notFound('comment');
  return found;
}

function editComment(call: ThreadCall, { id, body }: Comment, text: string): Html {
  const { view, issue } = call;
  return postForm(view, {
    action: `${issueFormPath(issue)}/comments/${id}/edit`,
    look: 'form wide',
    content: html`${versionField(call, body)}${textField({ name: 'content', label: 'Comment', text, isRequired: true })}
<div class="row"><button class="primary">Save the comment</button>${PREVIEW_BUTTON}</div>${changedNote(body, text)}`,
  });
}

function issueTextForms(app: App, dependencies: Dependencies): void {
  const { issues } = dependencies;
  const url = '/:owner/:repo/issues/:number/edit';
  app.get(url, { config: { action: ISSUE.change }, schema }, async (request, reply) => {
    const call = await openThread(request, reply, dependencies);
    const files = filesForm(call.view, `${issueFormPath(call.issue)}/assets`, call.issue.attachments);
    return sendThreadForm(reply, call, { content: html`${editIssue(call, call.issue)}${files}` });
  });
  app.post(url, { bodyLimit, config: { action: ISSUE.change, isForm: true }, schema }, (request, reply) =>
    changeThread(request, reply, dependencies, {
      text: longTextOf(request, 'content'),
      async run(call) {
        const edit = { title: fieldOf(request, 'title'), body: longTextOf(request, 'content') };
        await issues.edit(call.viewer, call.path, edit, {
          requireCurrent: (current) => requireVersion(call, textOf(current)),
        });
        return undefined;
      },
      async again(call) {
        const current = await issues.get(call.viewer, call.path);
        const title = fieldOf(request, 'title');
        return editIssue({ ...call, issue: current }, { title, body: longTextOf(request, 'content') });
      },
    }),
  );
}

function editIssue(call: ThreadCall, { title, body }: Pick<Issue, 'title' | 'body'>): Html {
  const { view, issue } = call;
  return postForm(view, {
    action: `${issueFormPath(issue)}/edit`,
    look: 'form wide',
    content: html`${versionField(call, textOf(issue))}${lineField({ name: 'title', label: 'Title', value: title, charsMax: ISSUE_LIMITS.issueTitleCharsMax, isRequired: true })}
${textField({ name: 'content', label: 'Text', text: body })}
<div class="row"><button class="primary">Save</button>${PREVIEW_BUTTON}</div>${changedNote(textOf(issue), textOf({ title, body }))}`,
  });
}

function textOf({ title, body }: Pick<Issue, 'title' | 'body'>): string {
  return `${title}\n${body}`;
}

/** Names the text that a form began with, so that it does not replace what another person has written meanwhile. */
function versionOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** A preview keeps the version with which the form began. */
function versionField({ request }: ThreadCall, text: string): Html {
  const sent = isChecked(request, PREVIEW_FIELD) ? fieldOf(request, 'version') : '';
  return html`<input type="hidden" name="version" value="${sent === '' ? versionOf(text) : sent}">`;
}

/** @throws ForgeError `conflict` */
function requireVersion({ request }: ThreadCall, current: string): void {
  const version = fieldOf(request, 'version');
  if (version === '' || version === versionOf(current)) return;
  throw conflict('someone else has changed this text meanwhile: see below, and save again to replace it');
}

/** Shows the stored text below a form that was sent with another one. */
function changedNote(stored: string, typed: string): Html {
  if (stored === typed) return html``;
  return html`<details><summary>The text as it is stored now</summary><pre>${stored}</pre></details>`;
}

function deletion(app: App, dependencies: Dependencies): void {
  const { issues } = dependencies;
  const url = '/:owner/:repo/issues/:number/delete';
  app.get(url, { config: { action: ISSUE.delete }, schema }, async (request, reply) => {
    const call = await openThread(request, reply, dependencies);
    const content = postForm(call.view, {
      action: `${issueFormPath(call.issue)}/delete`,
      look: 'form',
      content: html`<p>This deletes the title, the text, all comments and their files. It cannot be undone.</p><button class="danger">Delete ${call.issue.isPull ? 'this pull request' : 'this issue'}</button>`,
    });
    return sendThreadForm(reply, call, { content });
  });
  app.post(url, { config: { action: ISSUE.delete, isForm: true }, schema }, (request, reply) =>
    changeThread(request, reply, dependencies, {
      async run({ viewer, path, issue }) {
        await issues.delete(viewer, path);
        return `${repositoryPath(issue.repository)}/${issue.isPull ? 'pulls' : 'issues'}`;
      },
    }),
  );
}
