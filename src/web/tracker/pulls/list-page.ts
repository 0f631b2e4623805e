import type { FastifyReply, FastifyRequest } from 'fastify';
import { reaches } from '../../../api/access/levels.ts';
import { isFailure } from '../../../base/core/failure.ts';
import { type Html, html } from '../../../base/core/text/html.ts';
import type { StatusState } from '../../../code/statuses/model.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { PermittedRepository, RepositoryPath } from '../../../hosting/repositories/model.ts';
import type { Page } from '../../../http/pages/page.ts';
import type { Issue } from '../../../tracker/issues/model.ts';
import { issueFilterOf } from '../../../tracker/issues/options.ts';
import { PULL } from '../../../tracker/pulls/actions.ts';
import type { Pull, PullFilter } from '../../../tracker/pulls/model.ts';
import type { VerdictCounts } from '../../../tracker/pulls/reviews/overviews.ts';
import { comparisonPath, repositoryPath } from '../../addresses.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { icon } from '../../parts/icons.ts';
import { emptyHtml, pagerHtml } from '../../parts/lists.ts';
import { counted } from '../../parts/numbers.ts';
import { repositoryHeader } from '../../parts/repository-header.ts';
import { choicesOf } from '../parts/choices.ts';
import { filterForm, isNarrowed, type ListQuery, listPath, stateLinks } from '../parts/filters.ts';
import { issueRows } from '../parts/issue-rows.ts';
import { hasFormsOf, mayChange, viewOf } from '../parts/view.ts';
import { statusIcon } from './merging/statuses.ts';
import type { PullTools } from './tools.ts';

/** Fields of the address of a list of pull requests. */
export interface PullListQuery extends ListQuery {
  /** names of branches */
  readonly base?: string;
  readonly head?: string;
  readonly page?: number;
}

const ONE = { page: 1, limit: 1 };

/** The list of the pull requests of a repository. */
export async function pullListPage(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    path,
    query,
    tools,
  }: { readonly path: RepositoryPath; readonly query: PullListQuery; readonly tools: PullTools },
): Promise<Page> {
  const { viewer } = request;
  const { base: permitted } = await tools.pulls.open(viewer, path);
  const view = viewOf(request, reply, { permitted, addresses: tools.addresses });
  const { page = 1, ...fields } = query;
  const paging = { page: Math.max(1, page), limit: WEB_LIMITS.issueListItemsMax };
  const filter = filterOf(fields);
  const found = await tools.pulls.list(viewer, path, filter, paging).catch(emptyIfUnknown);
  const count = async (state: 'open' | 'closed') =>
    state === filter.state
      ? found.total
      : (await tools.pulls.list(viewer, path, { ...filter, state }, ONE).catch(emptyIfUnknown)).total;
  const verdicts = await tools.reviewOverviews.countVerdicts(found.items.map(({ issue }) => issue.id));
  const heads = found.items.map(({ state }) => state.head.sha);
  const checks = await tools.statuses.combineAll(viewer, permitted, heads);
  const { repository } = permitted;
  const list = `${repositoryPath(repository)}/pulls`;
  const counts = { open: await count('open'), closed: await count('closed') };
  const mayCreate =
    mayChange(view, PULL.create) && reaches(permitted.units.code, 'read') && !repository.isEmpty;
  const start = mayCreate
    ? html`<a class="button primary" href="${newPath(permitted)}">${icon('plus')}New pull request</a>`
    : html``;
  const title = `Pull requests · ${repository.owner.name}/${repository.name}`;
  return {
    title,
    ...hasFormsOf(view),
    body: html`${repositoryHeader(permitted, 'pulls')}<div class="stack">
<div class="row"><h1>Pull requests</h1><span class="end">${start}</span></div>
${filterForm(list, fields, await choicesOf(view, tools))}${branchFilters(list, fields)}<div class="box"><div class="title">${stateLinks(list, fields, counts)}</div>
${found.items.length === 0 ? emptyList(fields, list) : rowsOf(found.items, { verdicts, checks, tools })}</div>
${pagerHtml(listPath(list, fields), { page: paging.page, hasNext: found.total > paging.page * paging.limit })}</div>`,
  };
}

function filterOf(query: Omit<PullListQuery, 'page'>): PullFilter {
  const { base = '', head = '', ...ofIssues } = query;
  return {
    ...issueFilterOf({ ...ofIssues, type: 'pulls' }),
    labelIds: [],
    milestoneId: undefined,
    base: base === '' ? undefined : base,
    head: head === '' ? undefined : head,
  };
}

/** A filter with the name of an account that does not exist matches nothing. */
function emptyIfUnknown(error: unknown): { readonly items: readonly Pull[]; readonly total: number } {
  const isUnknownName = isFailure(error, 'not_found', 'bad_request') && error.failure.what !== 'repository';
  if (!isUnknownName) throw error;
  return { items: [], total: 0 };
}

/** Returns the path of the comparison from which a pull request is opened: that of a fork goes to its parent. */
function newPath({ repository, parent }: PermittedRepository): string {
  const { owner, name, defaultBranch } = repository;
  const base = parent?.repository ?? repository;
  const head = base === repository ? defaultBranch : `${owner.name}/${name}:${defaultBranch}`;
  return comparisonPath(base, { base: base.defaultBranch, head, isDirect: false });
}

/** Branches that a link has chosen, with the way back. */
function branchFilters(list: string, query: PullListQuery): Html {
  const { base = '', head = '' } = query;
  if (base === '' && head === '') return html``;
  const words = html`${base === '' ? html`` : html` into <code>${base}</code>`}${head === '' ? html`` : html` from <code>${head}</code>`}`;
  return html`<p class="notice">Only pull requests${words}. <a href="${listPath(list, query)}">Show all</a></p>
`;
}

interface RowFacts {
  /** by the ids of issues */
  readonly verdicts: ReadonlyMap<number, VerdictCounts>;
  /** results of the checks of heads */
  readonly checks: ReadonlyMap<Oid, StatusState>;
}

function rowsOf(
  pulls: readonly Pull[],
  { verdicts, checks, tools }: RowFacts & { readonly tools: PullTools },
): Html {
  const byIssue = new Map(pulls.map((pull) => [pull.issue.id, pull]));
  return issueRows(
    pulls.map(({ issue }) => issue),
    {
      addresses: tools.addresses,
      moreFacts: ({ id }: Issue) => {
        const pull = byIssue.get(id);
        return pull === undefined ? html`` : factsOf(pull, { verdicts, checks });
      },
    },
  );
}

function factsOf({ issue, state, requested }: Pull, { verdicts, checks }: RowFacts): Html {
  const { approvals = 0, rejections = 0 } = verdicts.get(issue.id) ?? {};
  const check = checks.get(state.head.sha);
  const asked = requested.users.length + requested.teams.length;
  return html` <span>${icon('branch')} into <code>${state.baseBranch}</code></span>${
    check === undefined ? html`` : html` <span title="Checks: ${check}">${statusIcon(check)}</span>`
  }${
    rejections > 0 ? html` <span class="removed">${icon('cross')} changes requested</span>` : html``
  }${approvals > 0 ? html` <span class="added">${icon('check')} ${counted(approvals, 'approval')}</span>` : html``}${
    asked > 0 ? html` <span>${icon('clock')} ${counted(asked, 'review')} requested</span>` : html``
  }`;
}

function emptyList(query: PullListQuery, list: string): Html {
  const { state = '' } = query;
  if (isNarrowed(query))
    return emptyHtml(
      'No pull request matches',
      html`<a href="${listPath(list, { state })}">Clear the filter</a>`,
    );
  if (state === 'closed') return emptyHtml('No pull request is closed');
  return emptyHtml(
    'No pull request is open',
    'Push a branch and open a pull request to propose its changes.',
  );
}
