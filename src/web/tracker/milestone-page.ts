import type { Page as ItemPage } from '../../base/core/paging.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Page } from '../../http/pages/page.ts';
import { MILESTONE } from '../../tracker/milestones/actions.ts';
import { MILESTONE_LIMITS } from '../../tracker/milestones/limits.ts';
import type { Milestone } from '../../tracker/milestones/model.ts';
import { repositoryPath } from '../addresses.ts';
import { problemHtml } from '../forms/form-parts.ts';
import { WEB_LIMITS } from '../limits.ts';
import { icon } from '../parts/icons.ts';
import { emptyHtml, pagerHtml } from '../parts/lists.ts';
import { counted } from '../parts/numbers.ts';
import { repositoryHeader } from '../parts/repository-header.ts';
import { agoHtml, dayHtml } from '../parts/time.ts';
import { lineField, textField } from './parts/fields.ts';
import { progressHtml } from './parts/sidebar.ts';
import { hasFormsOf, mayChange, postForm, type TrackerView } from './parts/view.ts';

interface Shown {
  readonly list: ItemPage<Milestone>;
  readonly isClosed: boolean;
  readonly page: number;
  /** rendered descriptions, by id */
  readonly texts: ReadonlyMap<number, Html>;
  readonly problem?: string;
}

/** The milestones of a repository, with how much of each is done. */
export function milestonesPage(view: TrackerView, { list, isClosed, page, texts, problem }: Shown): Page {
  const { permitted } = view;
  const { repository } = permitted;
  const path = `${repositoryPath(repository)}/milestones`;
  const mayEdit = mayChange(view, MILESTONE.change);
  const tab = (words: string, state: string, isCurrent: boolean) =>
    html`<a href="${path}${state}"${isCurrent ? html` aria-current="true"` : html``}>${words}</a>`;
  const rows =
    list.items.length === 0
      ? emptyHtml(
          isClosed ? 'No milestone is closed' : 'No milestone is open',
          'A milestone gathers the issues that belong to one goal.',
        )
      : html`<ul class="rows">
${list.items.map((milestone) => rowOf(view, milestone, { path, mayEdit, text: texts.get(milestone.id) }))}</ul>`;
  const hasNext = page * WEB_LIMITS.milestonesPageItemsMax < list.total;
  return {
    title: `Milestones · ${repository.owner.name}/${repository.name}`,
    ...hasFormsOf(view),
    body: html`${repositoryHeader(permitted, 'issues')}
<div class="stack"><div class="row"><h1>Milestones</h1><span class="end">${mayEdit ? html`<a class="button primary" href="${path}/new">${icon('plus')}New milestone</a>` : html``}</span></div>
${problemHtml(problem)}<section class="box" aria-label="Milestones"><div class="title"><span class="states">${tab('Open', '', !isClosed)} ${tab('Closed', '?state=closed', isClosed)}</span></div>
${rows}</section>
${pagerHtml(isClosed ? `${path}?state=closed` : path, { page, hasNext })}</div>`,
  };
}

interface Row {
  readonly path: string;
  readonly mayEdit: boolean;
  readonly text: Html | undefined;
}

function rowOf(view: TrackerView, milestone: Milestone, { path, mayEdit, text }: Row): Html {
  const { id, title, openIssuesCount, closedIssuesCount, dueAt, isClosed, closedAt, updatedAt } = milestone;
  const { repository } = view.permitted;
  const due = dueAt === null ? html`no due date` : html`${icon('clock')} due ${dayHtml(dueAt)}`;
  const state = closedAt === null ? html`changed ${agoHtml(updatedAt)}` : html`closed ${agoHtml(closedAt)}`;
  const form = (name: string, content: Html) => postForm(view, { action: `${path}/${id}/${name}`, content });
  const actions = html`<span class="row end"><a class="button small" href="${path}/${id}/edit">Edit</a>${form('state', html`<input type="hidden" name="status" value="${isClosed ? 'open' : 'closed'}"><button class="small">${isClosed ? 'Reopen' : 'Close'}</button>`)}${form('delete', html`<button class="small danger">Delete</button>`)}</span>`;
  return html`<li><div class="grow stack tight"><h2><a href="${repositoryPath(repository)}/milestone/${id}">${title}</a></h2>
<div class="quiet small facts-line"><span>${due}</span><span>${state}</span><span class="number">${counted(openIssuesCount, 'open issue')}, ${closedIssuesCount} closed</span></div>
${progressHtml(milestone)}${text ?? html``}</div>${mayEdit ? actions : html``}</li>
`;
}

/** What a form about a milestone has in its fields. */
export interface TypedMilestone {
  readonly title: string;
  readonly description: string;
  /** year, month and day; '' for none */
  readonly day: string;
}

/** @param id undefined: a new one */
export function milestoneFormPage(
  view: TrackerView,
  id: string | undefined,
  { title, description, day }: TypedMilestone,
  problem?: string,
): Page {
  const { permitted } = view;
  const path = `${repositoryPath(permitted.repository)}/milestones`;
  const heading = id === undefined ? 'New milestone' : `Change the milestone`;
  return {
    title: `${heading} · ${permitted.repository.owner.name}/${permitted.repository.name}`,
    hasForm: true,
    body: html`${repositoryHeader(permitted, 'issues')}
<div class="stack"><h1>${heading}</h1>
${problemHtml(problem)}${postForm(view, {
  action: id === undefined ? `${path}/new` : `${path}/${encodeURIComponent(id)}/edit`,
  look: 'form',
  content: html`${lineField({ name: 'title', label: 'Title', value: title, charsMax: MILESTONE_LIMITS.milestoneTitleCharsMax, isRequired: true })}
<label>Due date<input type="date" name="deadline" value="${day}"></label>
${textField({ name: 'content', label: 'Description', text: description })}
<button class="primary">${id === undefined ? 'Create the milestone' : 'Save'}</button>`,
})}<p><a href="${path}">Back to the milestones</a></p></div>`,
  };
}
