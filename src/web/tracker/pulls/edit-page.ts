import { hash } from 'node:crypto';
import { conflict } from '../../../base/core/failure.ts';
import { type Html, html } from '../../../base/core/text/html.ts';
import type { Page } from '../../../http/pages/page.ts';
import { ISSUE_LIMITS } from '../../../tracker/issues/limits.ts';
import type { Issue } from '../../../tracker/issues/model.ts';
import { flag, lineField, textField } from '../parts/fields.ts';
import { hasFormsOf, postForm } from '../parts/view.ts';
import { pullHead } from './head.ts';
import { FORM_NAME, type PullView, pullPath, sentBy } from './view.ts';

/** The name of the form that changes a pull request. */
export const EDIT_FORM = 'edit';

/** Names the title and the text that a form has shown. */
function versionOf({ title, body }: Pick<Issue, 'title' | 'body'>): string {
  return hash('sha256', JSON.stringify([title, body]), 'base64url');
}

/** @throws ForgeError `conflict` if someone else has changed the title or the text since the form was shown */
export function requireSeen(issue: Pick<Issue, 'title' | 'body'>, version: string): void {
  if (versionOf(issue) !== version)
    throw conflict(
      'someone else has changed this meanwhile: save again to replace their title and text by yours',
    );
}

/** The page on which people change the title, the text and the base of a pull request. */
export function editPage(view: PullView): Page {
  const { pull } = view;
  const { issue, state, base } = pull;
  const sent = sentBy(view, EDIT_FORM);
  const value = (name: string, now: string) => sent?.get(name) ?? now;
  const { owner, name } = base.repository;
  return {
    title: `Edit ${issue.title} #${issue.number} · ${owner.name}/${name}`,
    ...hasFormsOf(view),
    body: html`${pullHead(view, '', undefined)}
${postForm(view, {
  action: `${pullPath(pull)}/edit`,
  look: 'form wide',
  content: html`<input type="hidden" name="${FORM_NAME}" value="${EDIT_FORM}"><input type="hidden" name="version" value="${versionOf(issue)}">
${lineField({ name: 'title', label: 'Title', value: value('title', issue.title), charsMax: ISSUE_LIMITS.issueTitleCharsMax, isRequired: true, hint: 'A title that begins with WIP: marks a draft.' })}
${textField({ name: 'content', label: 'Description', text: value('content', issue.body), hint: 'Markdown works here.' })}
${issue.isClosed ? html`` : html`<label>Target branch <input name="base" value="${value('base', state.baseBranch)}" required spellcheck="false" autocapitalize="none"></label>`}
${maintainersField(view, sent)}
<div class="row"><button class="primary">Save</button><a class="button" href="${pullPath(pull)}">Cancel</a></div>`,
})}`,
  };
}

/** Only people who may write a head in a fork can let others write it. */
function maintainersField({ pull, viewer }: PullView, sent: URLSearchParams | undefined): Html {
  const { state, headRepository, base, issue } = pull;
  const isFork = headRepository !== null && headRepository.repository.id !== base.repository.id;
  if (!isFork || issue.isClosed || viewer.accountId === null) return html``;
  const isAllowed = sent === undefined ? state.allowsMaintainerEdit : sent.has('maintainers');
  return html`<label class="choice"><input type="checkbox" name="maintainers" value="true"${flag('checked', isAllowed)}> <span>Allow edits by people who maintain ${base.repository.owner.name}/${base.repository.name}</span></label>`;
}
