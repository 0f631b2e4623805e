import { type Html, html } from '../../base/core/text/html.ts';
import type { Page } from '../../http/pages/page.ts';
import type { IssueFiles, IssueTemplate } from '../../tracker/issue-templates/model.ts';
import { ISSUE_LIMITS } from '../../tracker/issues/limits.ts';
import type { Markdown } from '../../tracker/markdown/service.ts';
import { repositoryPath } from '../addresses.ts';
import { problemHtml } from '../forms/form-parts.ts';
import { icon } from '../parts/icons.ts';
import { markdownTexts } from '../parts/markdown.ts';
import { repositoryHeader } from '../parts/repository-header.ts';
import type { Choices } from './parts/choices.ts';
import { flag, lineField, textField } from './parts/fields.ts';
import { labelDot } from './parts/labels.ts';
import { PREVIEW_BUTTON } from './parts/preview.ts';
import { postForm, type TrackerView } from './parts/view.ts';
import { type Typed, templateField } from './template-fields.ts';

/** What a form for a new issue begins with. */
export interface NewIssueForm {
  readonly title: string;
  readonly text: string;
  /** ids or names */
  readonly labels: readonly string[];
  /** id; '' for none */
  readonly milestone: string;
  readonly assignees: readonly string[];
  readonly template: IssueTemplate | undefined;
  /** of the fields of the template */
  readonly typed: Typed;
  readonly problem?: string | undefined;
  /** the text as it will look, if it was asked for */
  readonly preview?: Html;
}

/** @param choices absent: the viewer may not choose labels, a milestone and assignees */
export async function newIssuePage(
  view: TrackerView,
  form: NewIssueForm,
  { markdown, choices }: { readonly markdown: Markdown; readonly choices: Choices | undefined },
): Promise<Page> {
  const { permitted } = view;
  const { repository } = permitted;
  const path = `${repositoryPath(repository)}/issues/new`;
  const { template, title, problem } = form;
  const content = html`<div class="columns"><div class="form wide">
<input type="hidden" name="template" value="${template?.path ?? ''}">
${lineField({ name: 'title', label: 'Title', value: title, charsMax: ISSUE_LIMITS.issueTitleCharsMax, isRequired: true })}
${await textFields(view, form, markdown)}
<div class="row buttons"><span class="hint">Markdown works here.</span><span class="end row reversed"><button class="primary">Create the issue</button>${PREVIEW_BUTTON}</span></div></div>
<aside class="stack" aria-label="Labels, milestone and assignees">${choices === undefined ? html`` : choiceFields(form, choices)}</aside></div>`;
  return {
    title: `New issue · ${repository.owner.name}/${repository.name}`,
    hasForm: true,
    body: html`${repositoryHeader(permitted, 'issues')}
<div class="stack"><div class="row"><h1>${template === undefined ? 'New issue' : `New issue: ${template.name}`}</h1></div>
${problemHtml(problem)}${form.preview ?? html``}${postForm(view, { action: path, content })}</div>`,
  };
}

async function textFields(view: TrackerView, form: NewIssueForm, markdown: Markdown): Promise<Html> {
  const fields = form.template?.fields;
  if (fields === undefined || fields === null)
    return textField({ name: 'content', label: 'Text', text: form.text });
  const visible = fields.filter(({ visible }) => visible.includes('form'));
  const notes = visible.map(({ type, attributes }) =>
    type === 'markdown' ? String(attributes.value ?? '') : '',
  );
  const context = repositoryPath(view.permitted.repository);
  const rendered = await markdownTexts(markdown, view.viewer, notes, { mode: 'gfm', context });
  return html`${visible.map((field, index) => html`${templateField(field, form.typed, rendered[index] ?? html``)}\n`)}`;
}

function choiceFields(form: NewIssueForm, { labels, milestones, assignees }: Choices): Html {
  const wanted = new Set(form.labels);
  const people = new Set(form.assignees);
  const labelBoxes = labels.map(
    (label) =>
      html`<label class="choice"><input type="checkbox" name="label" value="${label.id}"${flag('checked', wanted.has(String(label.id)) || wanted.has(label.name))}><span>${labelDot(label)} ${label.name}</span></label>
`,
  );
  const assigneeBoxes = assignees.map(
    ({ name }) =>
      html`<label class="choice"><input type="checkbox" name="assignee" value="${name}"${flag('checked', people.has(name))}><span>${name}</span></label>
`,
  );
  const goals = milestones.map(
    ({ id, title }) =>
      html`<option value="${id}"${flag('selected', form.milestone === String(id))}>${title}</option>`,
  );
  return html`${labels.length === 0 ? html`` : html`<fieldset><legend>Labels</legend><div class="choices">${labelBoxes}</div></fieldset>`}
${milestones.length === 0 ? html`` : html`<label class="stack tight"><strong>Milestone</strong><select name="milestone"><option value="">None</option>${goals}</select></label>`}
${assignees.length === 0 ? html`` : html`<fieldset><legend>Assignees</legend><div class="choices">${assigneeBoxes}</div></fieldset>`}`;
}

/** The page on which a person chooses what kind of issue to open. */
export function chooseIssuePage({ permitted }: TrackerView, { templates, config }: IssueFiles): Page {
  const { repository } = permitted;
  const path = `${repositoryPath(repository)}/issues/new`;
  const rows = templates.map(
    ({ name, about, path: file }) =>
      html`<li>${icon('issue')}<div class="grow"><a class="subject" href="${path}?template=${encodeURIComponent(file)}">${name}</a>
<div class="quiet small">${about}</div></div></li>
`,
  );
  const links = config.contactLinks.map(
    ({ name, about, url }) =>
      html`<li>${icon('external')}<div class="grow"><a class="subject" href="${url}" rel="nofollow noopener noreferrer">${name}</a>
<div class="quiet small">${about}</div></div></li>
`,
  );
  const blank = config.allowsBlankIssues
    ? html`<li>${icon('plus')}<div class="grow"><a class="subject" href="${path}">Blank issue</a>
<div class="quiet small">Begin with an empty text</div></div></li>
`
    : html``;
  return {
    title: `New issue · ${repository.owner.name}/${repository.name}`,
    body: html`${repositoryHeader(permitted, 'issues')}
<div class="stack"><h1>What is it about?</h1>
<div class="box"><ul class="rows issues">
${rows}${links}${blank}</ul></div></div>`,
  };
}
