import { type Html, html } from '../../base/core/text/html.ts';
import type { Page } from '../../http/pages/page.ts';
import { LABEL } from '../../tracker/labels/actions.ts';
import { LABEL_LIMITS } from '../../tracker/labels/limits.ts';
import type { LabelFields, OwnedLabel } from '../../tracker/labels/model.ts';
import { repositoryPath } from '../addresses.ts';
import { problemHtml } from '../forms/form-parts.ts';
import { icon } from '../parts/icons.ts';
import { emptyHtml, pagerHtml } from '../parts/lists.ts';
import { repositoryHeader } from '../parts/repository-header.ts';
import { labelledPath } from './parts/event-words.ts';
import { flag, lineField } from './parts/fields.ts';
import { labelHtml } from './parts/labels.ts';
import { hasFormsOf, mayChange, postForm, type TrackerView } from './parts/view.ts';

/** A form about a label that could not be used. */
export interface TypedLabel {
  /** undefined: of a new label */
  readonly id: number | undefined;
  readonly fields: LabelFields;
  readonly problem: string;
}

interface Shown {
  readonly own: readonly OwnedLabel[];
  /** of the organization that owns the repository */
  readonly shared: readonly OwnedLabel[];
  readonly page: number;
  readonly hasNext: boolean;
  readonly typed?: TypedLabel;
}

const NEW: LabelFields = {
  name: '',
  color: '0b615c',
  description: '',
  isExclusive: false,
  isArchived: false,
};

/** The labels of a repository, with the forms that change them. */
export function labelsPage(view: TrackerView, { own, shared, page, hasNext, typed }: Shown): Page {
  const { permitted } = view;
  const { repository } = permitted;
  const path = `${repositoryPath(repository)}/labels`;
  const mayEdit = mayChange(view, LABEL.change);
  const list =
    own.length === 0
      ? emptyHtml('No label yet', 'Labels say what an issue or a pull request is about.')
      : html`<ul class="rows">
${own.map((label) => labelRow(view, label, mayEdit ? { path, typed } : undefined))}</ul>`;
  const ofOwner =
    shared.length === 0
      ? html``
      : html`<section class="box"><div class="title"><h2>Labels of ${repository.owner.name}</h2></div>
<ul class="rows">
${shared.map((label) => labelRow(view, label, undefined))}</ul></section>`;
  return {
    title: `Labels · ${repository.owner.name}/${repository.name}`,
    ...hasFormsOf(view),
    body: html`${repositoryHeader(permitted, 'issues')}
<div class="stack"><h1>Labels</h1>
${mayEdit ? newForm(view, path, typed) : html``}<section class="box" aria-label="Labels">${list}</section>
${pagerHtml(path, { page, hasNext })}${ofOwner}</div>`,
  };
}

interface Editing {
  readonly path: string;
  readonly typed: TypedLabel | undefined;
}

function labelRow(
  { permitted, ...view }: TrackerView,
  label: OwnedLabel,
  editing: Editing | undefined,
): Html {
  const { repository } = permitted;
  const state = label.isArchived ? html` <span class="badge">archived</span>` : html``;
  const name = labelHtml(label, labelledPath(repository, label.name));
  const change = editing === undefined ? html`` : changeForms({ permitted, ...view }, label, editing);
  return html`<li><div class="grow">${name}${state} <span class="quiet">${label.description}</span></div>${change}</li>
`;
}

function changeForms(view: TrackerView, label: OwnedLabel, { path, typed }: Editing): Html {
  const own = typed !== undefined && typed.id === label.id ? typed : undefined;
  const edit = postForm(view, {
    action: `${path}/edit`,
    look: 'form',
    content: html`<input type="hidden" name="id" value="${label.id}">${problemHtml(own?.problem)}${fieldsOf(own?.fields ?? label)}<button class="primary small">Save</button>`,
  });
  const remove = postForm(view, {
    action: `${path}/delete`,
    content: html`<input type="hidden" name="id" value="${label.id}"><button class="small danger">Delete the label</button>`,
  });
  return html`<details class="wide"${own === undefined ? html`` : html` open`}><summary class="button small" aria-label="Change ${label.name}">${icon('pencil')}Change</summary><div class="stack padded">${edit}${remove}</div></details>`;
}

function newForm(view: TrackerView, path: string, typed: TypedLabel | undefined): Html {
  const own = typed !== undefined && typed.id === undefined ? typed : undefined;
  const form = postForm(view, {
    action: `${path}/new`,
    look: 'form',
    content: html`${problemHtml(own?.problem)}${fieldsOf(own?.fields ?? NEW)}<button class="primary">Create the label</button>`,
  });
  return html`<details${own === undefined ? html`` : html` open`}><summary class="button primary">${icon('plus')}New label</summary><div class="padded">${form}</div></details>
`;
}

function fieldsOf({ name, color, description, isExclusive, isArchived }: LabelFields): Html {
  return html`${lineField({ name: 'title', label: 'Name', value: name, charsMax: LABEL_LIMITS.labelNameCharsMax, isRequired: true })}
<label>Color<input type="color" name="color" value="#${color}"></label>
${lineField({ name: 'description', label: 'Description', value: description, charsMax: LABEL_LIMITS.labelDescriptionCharsMax })}
<label class="choice"><input type="checkbox" name="exclusive"${flag('checked', isExclusive)}><span>Exclusive <span class="quiet">An issue has only one label of those whose names are the same up to the last slash</span></span></label>
<label class="choice"><input type="checkbox" name="archived"${flag('checked', isArchived)}><span>Archived <span class="quiet">It stays on issues, but is no longer offered</span></span></label>`;
}
