import type { SignedIn } from '../../api/access/viewer.ts';
import { type PageQuery, pagingOf } from '../../base/core/paging.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { selectionOf } from '../../hosting/search/options.ts';
import type { Addresses } from '../../http/app.ts';
import type { Page } from '../../http/pages/page.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Activities } from '../../tracker/activities/service.ts';
import type { Issue } from '../../tracker/issues/model.ts';
import { searchFilterOf } from '../../tracker/issues/options.ts';
import type { Issues } from '../../tracker/issues/service.ts';
import { repositoryPath } from '../addresses.ts';
import { WEB_LIMITS } from '../limits.ts';
import { icon } from '../parts/icons.ts';
import { emptyHtml, pagerHtml } from '../parts/lists.ts';
import { agoHtml } from '../parts/time.ts';
import { activityList } from '../people/activity-list.ts';

export interface DashboardTools {
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly activities: Activities;
  readonly issues: Issues;
  readonly addresses: Addresses;
}

const LATEST = { sort: 'updated', order: 'desc' };
const FIRST_REPOSITORIES = { page: 1, limit: WEB_LIMITS.startRepositoriesMax };
const FIRST_ISSUES = { page: 1, limit: WEB_LIMITS.dashboardIssuesMax };

/** The first page of a user: their repositories, what waits for them, and what happened around them. */
export async function dashboardPage(
  viewer: SignedIn,
  { q = '', page }: PageQuery & { readonly q?: string },
  { accounts, repositories, activities, issues, addresses }: DashboardTools,
): Promise<Page> {
  const account = await accounts.get(viewer.accountId);
  const wanted = { q: q.slice(0, WEB_LIMITS.dashboardWordsCharsMax), uid: viewer.accountId, ...LATEST };
  const selection = selectionOf(viewer, wanted);
  const found =
    selection === undefined
      ? { items: [], total: 0 }
      : await repositories.lists.select(viewer, selection, FIRST_REPOSITORIES);
  const paging = pagingOf({ page, limit: WEB_LIMITS.activitiesPageItemsMax });
  const feed = await activities.ofAccount(viewer, account, { paging, onlyPerformed: false });
  const own = (filter: Parameters<typeof searchFilterOf>[0]) =>
    issues.search(viewer, searchFilterOf({ state: 'open', ...filter }), FIRST_ISSUES);
  const assigned = await own({ type: 'issues', assigned: true });
  const requested = await own({ type: 'pulls', review_requested: true });
  const pulls = await own({ type: 'pulls', created: true });
  const hasNext = paging.page * paging.limit < feed.total;
  return {
    title: 'Quire',
    body: html`<h1 class="sr-only">Dashboard of ${viewer.name}</h1>
<div class="columns dashboard"><section class="stack" aria-label="Recent activity">
<h2>Recent activity</h2>
${feed.items.length === 0 ? nothingYet() : activityList(feed.items, addresses)}
${pagerHtml('/', { page: paging.page, hasNext })}</section>
<aside class="stack loose" aria-label="Yours">
${repositoriesPart(found.items, { q, total: found.total })}
${issuesPart('Review requests', 'pull', requested.items)}${issuesPart('Assigned issues', 'issue', assigned.items)}${issuesPart('Your pull requests', 'pull', pulls.items)}${notesPart(addresses)}</aside></div>`,
  };
}

function nothingYet(): Html {
  return emptyHtml(
    'Nothing has happened yet',
    html`What you do, and what happens in repositories that you watch, is listed here. <a href="/explore/repos">Find repositories</a>`,
  );
}

function repositoriesPart(
  items: readonly PermittedRepository[],
  { q, total }: { readonly q: string; readonly total: number },
): Html {
  const rows = items.map(
    ({ repository }) =>
      html`<li>${icon(repository.isPrivate ? 'lock' : 'repository')}<a class="grow" href="${repositoryPath(repository)}">${repository.owner.name}/<strong>${repository.name}</strong></a></li>
`,
  );
  const none =
    q === ''
      ? emptyHtml('You have no repositories', 'Create one, or push to a path that does not exist yet.')
      : emptyHtml('No repository matches', html`<a href="/">Show all</a>`);
  const rest =
    total > items.length
      ? html`<p class="small quiet">${(total - items.length).toLocaleString('en-US')} more: search for them</p>`
      : html``;
  return html`<section class="stack tight" aria-label="Your repositories">
<div class="row"><h2>Repositories</h2><a class="button primary small end" href="/repo/create">${icon('plus')}New</a></div>
<form class="filters" role="search" action="/"><label class="words"><span class="sr-only">Find one of your repositories</span><input type="search" name="q" value="${q}" placeholder="Find a repository" maxlength="${WEB_LIMITS.dashboardWordsCharsMax}"></label></form>
${rows.length === 0 ? none : html`<ul class="rows box dense">${rows}</ul>`}${rest}</section>`;
}

function issuesPart(title: string, kind: 'issue' | 'pull', items: readonly Issue[]): Html {
  if (items.length === 0) return html``;
  const rows = items.map(
    ({ repository, number, title: subject, isPull, updatedAt }) =>
      html`<li>${icon(kind, 'open')}<div class="grow"><a href="${repositoryPath(repository)}/${isPull ? 'pulls' : 'issues'}/${number}">${subject}</a>
<p class="quiet small">${repository.owner.name}/${repository.name}#${number}, ${agoHtml(updatedAt)}</p></div></li>
`,
  );
  return html`<section class="stack tight" aria-label="${title}"><h2>${title}</h2>
<ul class="rows box dense">${rows}</ul></section>
`;
}

function notesPart({ baseUrl }: Addresses): Html {
  return html`<section class="stack tight" aria-label="Notes"><h2>Notes</h2>
<p class="small quiet">Enter <code>${baseUrl}</code> as the server in an app for Nextcloud Notes. <a href="/-/help">More help</a></p></section>
`;
}
