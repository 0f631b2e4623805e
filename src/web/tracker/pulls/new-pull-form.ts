import { reaches } from '../../../api/access/levels.ts';
import { undefinedIf } from '../../../base/core/failure.ts';
import { type Html, html } from '../../../base/core/text/html.ts';
import { mayManage } from '../../../tracker/issues/access.ts';
import { ISSUE_LIMITS } from '../../../tracker/issues/limits.ts';
import { PULL } from '../../../tracker/pulls/actions.ts';
import { comparisonPath } from '../../addresses.ts';
import { problemHtml } from '../../forms/form-parts.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { choicesOf } from '../parts/choices.ts';
import { flag, lineField, selectField, textField } from '../parts/fields.ts';
import { labelDot } from '../parts/labels.ts';
import { mayChange, postForm, type TrackerView } from '../parts/view.ts';
import type { PullTools } from './tools.ts';

/** The branches of a pull request that is about to be opened. */
export interface NewPullBranches {
  /** short name */
  readonly base: string;
  /** `branch`, `owner:branch` or `owner/repository:branch` */
  readonly head: string;
  /** message of the only commit; undefined if there are several */
  readonly message: string | undefined;
}

/** A form that was sent, and why it could not be done. */
export interface FailedNewPull {
  readonly problem: string;
  readonly fields: URLSearchParams;
}

/** What the form uses. */
export type NewPullTools = Pick<PullTools, 'repositories' | 'labels' | 'milestones' | 'pullTemplates'>;

/** Whether the viewer may open pull requests in a repository. */
export function mayOpenPull(view: TrackerView): boolean {
  return mayChange(view, PULL.create) && reaches(view.permitted.units.code, 'read');
}

/** Returns the form that opens a pull request. */
export async function newPullForm(
  view: TrackerView,
  branches: NewPullBranches,
  tools: NewPullTools,
  failed?: FailedNewPull,
): Promise<Html> {
  const { viewer, permitted } = view;
  const { repository } = permitted;
  const path = { owner: repository.owner.name, name: repository.name };
  const fields = failed?.fields;
  const first = await firstTexts(view, branches, tools);
  const isManager = mayManage(permitted, { isPull: true });
  const choices = isManager ? await choicesOf(view, tools) : undefined;
  const paging = { page: 1, limit: WEB_LIMITS.trackerChoicesMax };
  const reviewers = await tools.repositories.people
    .listReviewers(viewer, path, paging)
    .catch(undefinedIf('forbidden'));
  const people = (reviewers?.items ?? []).filter(({ id }) => id !== viewer.accountId);
  const { base, head } = branches;
  return html`<section class="box" id="new-pull-request"><div class="title"><h2>Open a pull request</h2></div><div class="content">
${postForm(view, {
  action: comparisonPath(repository, { base, head, isDirect: false }),
  look: 'columns new-pull',
  content: html`<div class="form wide">${problemHtml(failed?.problem)}
${lineField({ name: 'title', label: 'Title', value: fields?.get('title') ?? first.title, charsMax: ISSUE_LIMITS.issueTitleCharsMax, isRequired: true })}
${textField({ name: 'content', label: 'Description', text: fields?.get('content') ?? first.text, hint: 'Markdown works here.' })}
<div class="row"><button class="primary">Open the pull request</button><button name="draft" value="true">Open as a draft</button></div></div>
<div class="stack">${checklist(
    'Reviewers',
    'reviewer',
    people.map(({ name }) => ({ value: name, words: html`${name}` })),
    fields,
  )}${
    choices === undefined
      ? html``
      : html`${checklist(
          'Labels',
          'label',
          choices.labels.map((label) => ({
            value: String(label.id),
            words: html`${labelDot(label)} ${label.name}`,
          })),
          fields,
        )}${checklist(
          'Assignees',
          'assignee',
          choices.assignees.map(({ name }) => ({ value: name, words: html`${name}` })),
          fields,
        )}${milestoneField(choices.milestones, fields)}`
  }</div>`,
})}</div></section>
`;
}

/** The title and the text that a new pull request begins with. */
async function firstTexts(
  { viewer, permitted }: TrackerView,
  { head, message }: NewPullBranches,
  { pullTemplates }: NewPullTools,
): Promise<{ readonly title: string; readonly text: string }> {
  const { owner, name } = permitted.repository;
  const template = await pullTemplates
    .read(viewer, { owner: owner.name, name })
    .catch(undefinedIf('forbidden', 'not_found'));
  const branch = head.slice(head.indexOf(':') + 1);
  if (message === undefined) return { title: titleOf(branch), text: template ?? '' };
  const [subject = '', ...rest] = message.split('\n');
  const text = rest.join('\n').trim();
  const both = [text, template ?? ''].filter((part) => part !== '').join('\n\n');
  return { title: subject.trim() === '' ? titleOf(branch) : subject.trim(), text: both };
}

/** Returns words for the name of a branch. */
function titleOf(branch: string): string {
  const words = branch.replaceAll(/[-_/]+/g, ' ').trim();
  return words === '' ? branch : words.charAt(0).toUpperCase() + words.slice(1);
}

interface Item {
  readonly value: string;
  readonly words: Html;
}

function checklist(
  legend: string,
  name: string,
  items: readonly Item[],
  sent: URLSearchParams | undefined,
): Html {
  if (items.length === 0) return html``;
  const chosen = new Set(sent?.getAll(name));
  const boxes = items.map(
    ({ value, words }) =>
      html`<label class="choice"><input type="checkbox" name="${name}" value="${value}"${flag('checked', chosen.has(value))}><span>${words}</span></label>
`,
  );
  return html`<fieldset><legend>${legend}</legend><div class="choices">
${boxes}</div></fieldset>
`;
}

function milestoneField(
  milestones: readonly { readonly id: number; readonly title: string }[],
  sent: URLSearchParams | undefined,
): Html {
  if (milestones.length === 0) return html``;
  const choices = milestones.map(({ id, title }) => ({ value: String(id), words: title }));
  return selectField(
    { name: 'milestone', label: 'Milestone' },
    [{ value: '', words: 'None' }, ...choices],
    sent?.get('milestone') ?? '',
  );
}
