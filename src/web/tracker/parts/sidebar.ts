import { type Html, html } from '../../../base/core/text/html.ts';
import type { Issue } from '../../../tracker/issues/model.ts';
import type { Milestone } from '../../../tracker/milestones/model.ts';
import { repositoryPath } from '../../addresses.ts';
import { icon } from '../../parts/icons.ts';
import { avatarHtml, personHtml } from '../../parts/people.ts';
import { dayHtml } from '../../parts/time.ts';
import type { Choices } from './choices.ts';
import { labelledPath } from './event-words.ts';
import { flag } from './fields.ts';
import { labelDot, labelHtml } from './labels.ts';
import { issueFormPath, postForm, type TrackerView } from './view.ts';

/** One box beside a thread. */
export interface SideBox {
  readonly title: string;
  readonly content: Html;
  /** a form, behind a button */
  readonly change?: Html | undefined;
}

export function sideBox({ title, content, change }: SideBox): Html {
  const form =
    change === undefined
      ? html``
      : html`<details class="menu"><summary class="quiet" aria-label="Change: ${title}" title="Change">${icon('gear')}</summary><div class="padded">${change}</div></details>`;
  return html`<section class="side-box"><div class="row"><h2>${title}</h2><span class="end">${form}</span></div>
${content}</section>
`;
}

/**
 * Returns the boxes of labels, milestone, assignees and due date.
 *
 * @param choices absent: the viewer may not change them
 */
export function planningBoxes(view: TrackerView, issue: Issue, choices: Choices | undefined): Html {
  return html`${labelsBox(view, issue, choices)}${milestoneBox(view, issue, choices)}${assigneesBox(view, issue, choices)}${deadlineBox(view, issue, choices)}`;
}

function nothing(words: string): Html {
  return html`<p class="quiet small">${words}</p>`;
}

function labelsBox(view: TrackerView, issue: Issue, choices: Choices | undefined): Html {
  const { labels, repository, isPull } = issue;
  const shown = labels.map(
    (label) => html`${labelHtml(label, labelledPath(repository, label.name, isPull ? 'pulls' : 'issues'))} `,
  );
  const has = new Set(labels.map(({ id }) => id));
  const offered = choices && [...labels, ...choices.labels.filter(({ id }) => !has.has(id))];
  const change =
    offered &&
    checklist(view, `${issueFormPath(issue)}/labels`, {
      name: 'label',
      items: offered.map((label) => ({
        value: String(label.id),
        words: html`${labelDot(label)} ${label.name}`,
        isChecked: has.has(label.id),
      })),
      empty: html`There is no label yet. <a href="${repositoryPath(repository)}/labels">Create one</a>.`,
    });
  return sideBox({
    title: 'Labels',
    content: labels.length === 0 ? nothing('None yet') : html`<p class="labels">${shown}</p>`,
    change,
  });
}

function assigneesBox(view: TrackerView, issue: Issue, choices: Choices | undefined): Html {
  const { assignees } = issue;
  const shown = assignees.map(
    (account) => html`<li>${avatarHtml(account, 20, view.addresses)} ${personHtml(account)}</li>\n`,
  );
  const has = new Set(assignees.map(({ id }) => id));
  const offered = choices && [...assignees, ...choices.assignees.filter(({ id }) => !has.has(id))];
  const change =
    offered &&
    checklist(view, `${issueFormPath(issue)}/assignees`, {
      name: 'assignee',
      items: offered.map(({ id, name }) => ({ value: name, words: html`${name}`, isChecked: has.has(id) })),
      empty: html`No one can be assigned.`,
    });
  return sideBox({
    title: 'Assignees',
    content: assignees.length === 0 ? nothing('Nobody') : html`<ul class="facts">\n${shown}</ul>`,
    change,
  });
}

interface Checklist {
  readonly name: string;
  readonly items: readonly { readonly value: string; readonly words: Html; readonly isChecked: boolean }[];
  readonly empty: Html;
}

function checklist(view: TrackerView, action: string, { name, items, empty }: Checklist): Html {
  if (items.length === 0) return html`<p>${empty}</p>`;
  const boxes = items.map(
    ({ value, words, isChecked }) =>
      html`<label class="choice label-choice"><input type="checkbox" name="${name}" value="${value}"${flag('checked', isChecked)}><span>${words}</span></label>
`,
  );
  return postForm(view, {
    action,
    look: 'stack tight',
    content: html`<div class="choices">
${boxes}</div><button class="primary small">Save</button>`,
  });
}

function milestoneBox(view: TrackerView, issue: Issue, choices: Choices | undefined): Html {
  const { milestone, repository } = issue;
  const content =
    milestone === null
      ? nothing('None')
      : html`<p><a href="${repositoryPath(repository)}/milestone/${milestone.id}">${icon('milestone')} ${milestone.title}</a></p>${progressHtml(milestone)}`;
  const isOffered = choices?.milestones.some(({ id }) => id === milestone?.id) === true;
  const offered = choices && [...(milestone === null || isOffered ? [] : [milestone]), ...choices.milestones];
  const change =
    offered &&
    postForm(view, {
      action: `${issueFormPath(issue)}/milestone`,
      look: 'stack tight',
      content: html`<label><span class="sr-only">Milestone</span><select name="milestone"><option value="">None</option>${offered.map(
        ({ id, title }) =>
          html`<option value="${id}"${flag('selected', id === milestone?.id)}>${title}</option>`,
      )}</select></label><button class="primary small">Save</button>`,
    });
  return sideBox({ title: 'Milestone', content, change });
}

/** Returns how much of a milestone is done. */
export function progressHtml({ openIssuesCount, closedIssuesCount }: Milestone): Html {
  const total = openIssuesCount + closedIssuesCount;
  const percent = total === 0 ? 0 : Math.floor((closedIssuesCount / total) * 100);
  return html`<progress max="100" value="${percent}" aria-label="Done">${percent}%</progress>`;
}

function deadlineBox(view: TrackerView, issue: Issue, choices: Choices | undefined): Html {
  const { dueAt } = issue;
  const day = dueAt === null ? '' : new Date(dueAt).toISOString().slice(0, 'yyyy-mm-dd'.length);
  const change =
    choices &&
    postForm(view, {
      action: `${issueFormPath(issue)}/deadline`,
      look: 'stack tight',
      content: html`<label><span class="sr-only">Due date</span><input type="date" name="deadline" value="${day}"></label><button class="primary small">Save</button>`,
    });
  return sideBox({
    title: 'Due date',
    content: dueAt === null ? nothing('None') : html`<p>${icon('clock')} ${dayHtml(dueAt)}</p>`,
    change,
  });
}
