import { isFailure } from '../../base/core/failure.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { PermittedRepository, RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Page } from '../../http/pages/page.ts';
import { ISSUE } from '../../tracker/issues/actions.ts';
import type { Issue, IssueFilter } from '../../tracker/issues/model.ts';
import { issueFilterOf } from '../../tracker/issues/options.ts';
import type { IssueMarks } from '../../tracker/issues/planning/marks/service.ts';
import type { FoundPage } from '../../tracker/issues/search/service.ts';
import type { Issues } from '../../tracker/issues/service.ts';
import { repositoryPath } from '../addresses.ts';
import { WEB_LIMITS } from '../limits.ts';
import { icon } from '../parts/icons.ts';
import { emptyHtml, pagerHtml } from '../parts/lists.ts';
import { repositoryHeader } from '../parts/repository-header.ts';
import { type ChoiceServices, choicesOf } from './parts/choices.ts';
import { filterForm, isNarrowed, type ListQuery, listPath, stateLinks } from './parts/filters.ts';
import { issueRows } from './parts/issue-rows.ts';
import { mayChange, type TrackerView } from './parts/view.ts';

export interface IssueListServices extends ChoiceServices {
  readonly issues: Issues;
  readonly marks: IssueMarks;
}

interface Found {
  readonly list: FoundPage<Issue>;
  readonly counts: { readonly open: number; readonly closed: number };
  /** why the filter finds nothing */
  readonly problem?: string;
}

/** The list of the issues of a repository. */
export async function issueListPage(
  view: TrackerView,
  query: ListQuery,
  { page, services }: { readonly page: number; readonly services: IssueListServices },
): Promise<Page> {
  const { permitted, addresses } = view;
  const { repository } = permitted;
  const path = `${repositoryPath(repository)}/issues`;
  const at = { owner: repository.owner.name, name: repository.name };
  const { list, counts, problem } = await find(view, at, query, { page, issues: services.issues });
  const choices = await choicesOf(view, services);
  const isFirst = page === 1 && !isNarrowed(query);
  const pinned = isFirst ? await services.marks.listPinned(view.viewer, at) : [];
  const rows =
    list.items.length === 0 ? emptyPart(view, query, problem) : issueRows(list.items, { addresses });
  const more = list.isComplete
    ? html``
    : html`<p class="notice">More issues may match. Use more words, or another filter.</p>`;
  const where = `${repository.owner.name}/${repository.name}`;
  return {
    title: `Issues · ${where}`,
    body: html`${repositoryHeader(permitted, 'issues')}
<div class="stack">
<div class="row"><h1>Issues</h1><span class="end row">${listLinks(permitted)}${newLink(view)}</span></div>
${filterForm(path, query, choices)}${
  pinned.length === 0
    ? html``
    : html`<section class="box" aria-label="Pinned"><div class="title">Pinned</div>
${issueRows(pinned, { addresses })}</section>
`
}<section class="box" aria-label="Issues"><div class="title">${stateLinks(path, query, counts)}</div>
${rows}</section>
${more}${pagerHtml(listPath(path, query), { page, hasNext: page * WEB_LIMITS.issueListItemsMax < list.total })}</div>`,
  };
}

async function find(
  { viewer }: TrackerView,
  path: RepositoryPath,
  query: ListQuery,
  { page, issues }: { readonly page: number; readonly issues: Issues },
): Promise<Found> {
  const filter: IssueFilter = { ...issueFilterOf(query), type: 'issues' };
  try {
    const paging = { page, limit: WEB_LIMITS.issueListItemsMax };
    const list = await issues.list(viewer, path, filter, paging);
    const count = async (state: 'open' | 'closed') =>
      state === filter.state
        ? list.total
        : (await issues.list(viewer, path, { ...filter, state }, { page: 1, limit: 1 })).total;
    return { list, counts: { open: await count('open'), closed: await count('closed') } };
  } catch (error) {
    // The repository was found before, so an account is missing that the filter names.
    if (!isFailure(error, 'not_found')) throw error;
    const list = { items: [], total: 0, isComplete: true };
    return { list, counts: { open: 0, closed: 0 }, problem: 'No such user' };
  }
}

function emptyPart(view: TrackerView, query: ListQuery, problem: string | undefined): Html {
  const path = `${repositoryPath(view.permitted.repository)}/issues`;
  if (problem !== undefined || isNarrowed(query))
    return emptyHtml(problem ?? 'No issues match', html`<a href="${path}">Clear the filter</a>`);
  if (query.state === 'closed') return emptyHtml('No issue is closed');
  return emptyHtml(
    'No issue is open',
    mayChange(view, ISSUE.create) ? html`<a href="${path}/new/choose">Open the first one</a>` : '',
  );
}

/** Returns the links to the labels and milestones of a repository. */
export function listLinks({ repository }: PermittedRepository): Html {
  const path = repositoryPath(repository);
  return html`<a class="button" href="${path}/labels">${icon('tag')}Labels</a><a class="button" href="${path}/milestones">${icon('milestone')}Milestones</a>`;
}

function newLink(view: TrackerView): Html {
  const path = `${repositoryPath(view.permitted.repository)}/issues/new/choose`;
  return mayChange(view, ISSUE.create)
    ? html`<a class="button primary" href="${path}">${icon('plus')}New issue</a>`
    : html``;
}
