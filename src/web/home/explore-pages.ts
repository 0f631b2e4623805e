import { Type } from 'typebox';
import { isSignedIn } from '../../api/access/viewer.ts';
import { isFailure } from '../../base/core/failure.ts';
import { type Page, type Paging, pagingOf } from '../../base/core/paging.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { REPOSITORY_SEARCH } from '../../hosting/search/actions.ts';
import { SEARCH_LIMITS } from '../../hosting/search/limits.ts';
import { selectionOf } from '../../hosting/search/options.ts';
import { SearchQuery } from '../../hosting/search/schema.ts';
import type { Addresses, App } from '../../http/app.ts';
import { sendPage } from '../../http/pages/page.ts';
import { PagingQuery } from '../../http/paging.ts';
import { ACCOUNT } from '../../people/accounts/actions.ts';
import { ACCOUNT_LIMITS } from '../../people/accounts/limits.ts';
import { orderOf } from '../../people/accounts/options.ts';
import { AccountListQuery } from '../../people/accounts/schema.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { ORGANIZATION } from '../../people/organizations/actions.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { WEB_LIMITS } from '../limits.ts';
import { icon } from '../parts/icons.ts';
import { emptyHtml, pagerHtml, tabsHtml } from '../parts/lists.ts';
import { counted } from '../parts/numbers.ts';
import { repositoryRows } from '../parts/repository-rows.ts';
import { searchForm } from '../parts/search-form.ts';
import { accountRows } from '../people/account-rows.ts';

interface Dependencies {
  readonly repositories: Repositories;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly addresses: Addresses;
}

const REPOSITORIES_PATH = '/explore/repos';
const USERS_PATH = '/explore/users';
const ORGANIZATIONS_PATH = '/explore/organizations';
const NOTHING = { items: [], total: 0 };

/** Registers the pages that find repositories, users and organizations. */
export function explorePages(app: App, dependencies: Dependencies): void {
  repositoriesPage(app, dependencies);
  usersPage(app, dependencies);
  organizationsPage(app, dependencies);
}

const REPOSITORY_SORTS = [
  ['recentupdate', 'Recently updated'],
  ['newest', 'Newest'],
  ['oldest', 'Oldest'],
  ['alphabetically', 'Name'],
  ['moststars', 'Most stars'],
  ['mostforks', 'Most forks'],
  ['size', 'Largest'],
] as const;

/** Orders of the pages, as the search of the API names them. */
const SEARCH_ORDERS: Readonly<Record<string, { readonly sort: string; readonly order: string }>> = {
  recentupdate: { sort: 'updated', order: 'desc' },
  leastupdate: { sort: 'updated', order: 'asc' },
  newest: { sort: 'created', order: 'desc' },
  oldest: { sort: 'created', order: 'asc' },
  alphabetically: { sort: 'alpha', order: 'asc' },
  reversealphabetically: { sort: 'alpha', order: 'desc' },
  moststars: { sort: 'stars', order: 'desc' },
  feweststars: { sort: 'stars', order: 'asc' },
  mostforks: { sort: 'forks', order: 'desc' },
  fewestforks: { sort: 'forks', order: 'asc' },
  size: { sort: 'size', order: 'desc' },
  reversesize: { sort: 'size', order: 'asc' },
};

/** @param sort an order of the pages or of the API; '' for the first of the pages */
function searchOrderOf(sort: string, order: string) {
  if (Object.hasOwn(SEARCH_ORDERS, sort)) return SEARCH_ORDERS[sort];
  return sort === '' ? SEARCH_ORDERS.recentupdate : { sort, order };
}

const KINDS = [
  ['', 'All kinds'],
  ['source', 'No forks, no mirrors'],
  ['fork', 'Forks'],
  ['mirror', 'Mirrors'],
] as const;

function repositoriesPage(app: App, { repositories }: Dependencies): void {
  const querystring = Type.Object({ ...SearchQuery, ...PagingQuery });
  app.get(
    REPOSITORIES_PATH,
    { config: { action: REPOSITORY_SEARCH.search }, schema: { querystring } },
    async (request, reply) => {
      const { q = '', sort = '', order = '', topic = false, mode = '' } = request.query;
      const paging = pagingFor(request.query);
      let list: Awaited<ReturnType<Repositories['lists']['select']>> = NOTHING;
      let problem: string | undefined;
      try {
        const sorted = searchOrderOf(sort, order);
        const selection = selectionOf(request.viewer, { ...request.query, includeDesc: true, ...sorted });
        if (selection !== undefined)
          list = await repositories.lists.select(request.viewer, selection, paging);
      } catch (error) {
        if (!isFailure(error, 'invalid')) throw error;
        reply.code(422);
        problem =
          'This search cannot be done. Use fewer or shorter words, and one of the orders of the list.';
      }
      const kept = { q, sort, mode, ...(topic ? { topic: 'true' } : {}) };
      const form = searchForm({
        path: REPOSITORIES_PATH,
        words: q,
        label: 'Words in the name, the topics or the description',
        charsMax: SEARCH_LIMITS.searchTextCharsMax,
        choices: [
          { name: 'sort', label: 'Order', value: sort, options: REPOSITORY_SORTS },
          { name: 'mode', label: 'Kind', value: mode, options: KINDS },
        ],
        more: html`<label class="choice"><input type="checkbox" name="topic" value="true"${topic ? html` checked` : html``}> <span>Only topics</span></label>`,
        problem,
      });
      const empty = emptyHtml(
        q === '' ? 'There is no repository that you may see' : 'No repository matches',
        q === '' ? '' : html`<a href="${REPOSITORIES_PATH}">Show all repositories</a>`,
      );
      return sendPage(reply, {
        title: q === '' ? 'Repositories' : `${q} · Repositories`,
        body: explorePage('Repositories', REPOSITORIES_PATH, {
          form,
          total: counted(list.total, 'repository', 'repositories'),
          list: list.items.length === 0 ? empty : repositoryRows(list.items),
          pager: pagerOf(REPOSITORIES_PATH, kept, paging, list),
        }),
      });
    },
  );
}

const ACCOUNT_SORTS = [
  ['alphabetically', 'Name'],
  ['newest', 'Newest'],
  ['oldest', 'Oldest'],
  ['recentupdate', 'Recently changed'],
] as const;

function usersPage(app: App, { accounts, addresses }: Dependencies): void {
  const querystring = Type.Object({ ...AccountListQuery, ...PagingQuery });
  app.get(
    USERS_PATH,
    { config: { action: ACCOUNT.search }, schema: { querystring } },
    async (request, reply) => {
      const { q = '', sort = 'alphabetically' } = request.query;
      const paging = pagingFor(request.query);
      const search = { words: q.trim(), order: orderOf(sort) };
      const list = await accounts.searchUsers(request.viewer, search, paging);
      const form = searchForm({
        path: USERS_PATH,
        words: q,
        label: 'Part of a name',
        charsMax: ACCOUNT_LIMITS.searchWordCharsMax,
        choices: [{ name: 'sort', label: 'Order', value: sort, options: ACCOUNT_SORTS }],
      });
      const empty = emptyHtml(
        'No user matches',
        q === '' ? '' : html`<a href="${USERS_PATH}">Show all users</a>`,
      );
      return sendPage(reply, {
        title: q === '' ? 'Users' : `${q} · Users`,
        body: explorePage('Users', USERS_PATH, {
          form,
          total: counted(list.total, 'user'),
          list: list.items.length === 0 ? empty : accountRows(list.items, addresses),
          pager: pagerOf(USERS_PATH, { q, sort }, paging, list),
        }),
      });
    },
  );
}

function organizationsPage(app: App, { organizations, addresses }: Dependencies): void {
  app.get(
    ORGANIZATIONS_PATH,
    { config: { action: ORGANIZATION.list }, schema: { querystring: Type.Object(PagingQuery) } },
    async (request, reply) => {
      const paging = pagingFor(request.query);
      const list = await organizations.list(request.viewer, paging);
      return sendPage(reply, {
        title: 'Organizations',
        body: explorePage('Organizations', ORGANIZATIONS_PATH, {
          form: isSignedIn(request.viewer)
            ? html`<p><a class="button" href="/org/create">${icon('plus')}New organization</a></p>`
            : html``,
          total: counted(list.total, 'organization'),
          list:
            list.items.length === 0
              ? emptyHtml(
                  'There is no organization that you may see',
                  'An organization owns repositories that several people share.',
                )
              : accountRows(list.items, addresses),
          pager: pagerOf(ORGANIZATIONS_PATH, {}, paging, list),
        }),
      });
    },
  );
}

const TABS = [
  { path: REPOSITORIES_PATH, words: 'Repositories', icon: icon('repository') },
  { path: USERS_PATH, words: 'Users', icon: icon('person') },
  { path: ORGANIZATIONS_PATH, words: 'Organizations', icon: icon('people') },
];

function explorePage(
  title: string,
  path: string,
  parts: { readonly form: Html; readonly total: string; readonly list: Html; readonly pager: Html },
): Html {
  return html`${tabsHtml('Explore', TABS, path)}
<div class="stack"><h1 class="sr-only">${title}</h1>
${parts.form}<p class="quiet small" role="status">${parts.total}</p>
${parts.list}
${parts.pager}</div>`;
}

function pagingFor(query: { readonly page?: number; readonly limit?: number }): Paging {
  return pagingOf({ limit: WEB_LIMITS.exploreItemsMax, ...query });
}

function pagerOf(
  path: string,
  kept: Readonly<Record<string, string>>,
  { page, limit }: Paging,
  { total }: Page<unknown>,
): Html {
  const query = new URLSearchParams(Object.entries(kept).filter(([, value]) => value !== ''));
  if (limit !== WEB_LIMITS.exploreItemsMax) query.set('limit', `${limit}`);
  const address = query.size === 0 ? path : `${path}?${query}`;
  return pagerHtml(address, { page, hasNext: page * limit < total });
}
