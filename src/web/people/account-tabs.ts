import type { Action } from '../../api/access/actions.ts';
import { whyNotByCredential } from '../../api/access/guard.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import { isFailure } from '../../base/core/failure.ts';
import { type Page, type PageQuery, type Paging, pagingOf } from '../../base/core/paging.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import { CONTENTS } from '../../code/contents/actions.ts';
import type { ContentsReader } from '../../code/contents/read.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { SEARCH_LIMITS } from '../../hosting/search/limits.ts';
import { selectionOf } from '../../hosting/search/options.ts';
import type { Marks } from '../../hosting/stars/marks.ts';
import type { Addresses } from '../../http/app.ts';
import type { Account } from '../../people/accounts/model.ts';
import type { Follows } from '../../people/follows/service.ts';
import { ORGANIZATION } from '../../people/organizations/actions.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { TEAM } from '../../people/teams/actions.ts';
import type { Teams } from '../../people/teams/service.ts';
import type { Activities } from '../../tracker/activities/service.ts';
import type { Markdown } from '../../tracker/markdown/service.ts';
import { accountPath } from '../addresses.ts';
import { readmePart } from '../code/readme.ts';
import { WEB_LIMITS } from '../limits.ts';
import { emptyHtml, pagerHtml } from '../parts/lists.ts';
import { repositoryRows } from '../parts/repository-rows.ts';
import { searchForm } from '../parts/search-form.ts';
import { accountRows } from './account-rows.ts';
import { activityList } from './activity-list.ts';
import { heatmapHtml } from './heatmap.ts';

export interface TabTools {
  readonly repositories: Repositories;
  readonly reading: ContentsReader;
  readonly markdown: Markdown;
  readonly stars: Marks;
  readonly follows: Follows;
  readonly activities: Activities;
  readonly organizations: Organizations;
  readonly teams: Teams;
  readonly addresses: Addresses;
}

export interface TabQuery extends PageQuery {
  readonly tab?: string;
  readonly q?: string;
}

/** A tab of an account for a viewer. */
interface Shown {
  readonly viewer: Viewer;
  readonly account: Account;
  readonly query: TabQuery;
}

/** Returns the content of a tab of an account; undefined if it has no such tab, or the viewer may not see it. */
export async function accountTab(shown: Shown, tab: string, tools: TabTools): Promise<Html | undefined> {
  const { account, viewer } = shown;
  const { addresses } = tools;
  const paging = pagingOf({ limit: WEB_LIMITS.exploreItemsMax, ...shown.query });
  const isUser = account.kind === 'user';
  if (tab === '' || tab === 'repositories') return repositoriesTab(shown, paging, tools);
  if (tab === 'activity') return activityTab(shown, tools);
  if (isUser && tab === 'stars') {
    const list = await tools.stars.listOf(viewer, account.name, paging);
    const none = emptyHtml(`${account.name} has starred no repository that you may see`);
    return listTab(shown, { tab, paging, list, rows: repositoryRows(list.items), none });
  }
  if (isUser && (tab === 'followers' || tab === 'following')) {
    const list = await (tab === 'followers'
      ? tools.follows.listFollowers(viewer, account.name, paging)
      : tools.follows.listFollowing(viewer, account.name, paging));
    const none = emptyHtml(
      tab === 'followers' ? `${account.name} has no followers` : `${account.name} follows no account`,
    );
    return listTab(shown, { tab, paging, list, rows: accountRows(list.items, addresses), none });
  }
  if (!isUser && tab === 'members' && mayAlso(viewer, ORGANIZATION.listMembers)) {
    const list = await tools.organizations.members.list(viewer, account.name, paging);
    const none = emptyHtml('No member is public', 'Members of the organization see all of them.');
    return listTab(shown, { tab, paging, list, rows: accountRows(list.items, addresses), none });
  }
  return isUser || tab !== 'teams' ? undefined : teamsTab(shown, paging, tools);
}

interface List {
  readonly tab: string;
  readonly paging: Paging;
  readonly list: Page<unknown>;
  readonly rows: Html;
  readonly none: Html;
}

function listTab({ account }: Shown, { tab, paging: { page, limit }, list, rows, none }: List): Html {
  const path = `${accountPath(account.name)}?tab=${tab}`;
  return html`${list.items.length === 0 ? none : rows}
${pagerHtml(path, { page, hasNext: page * limit < list.total })}`;
}

async function repositoriesTab(shown: Shown, paging: Paging, tools: TabTools): Promise<Html> {
  const { viewer, account, query } = shown;
  const { q = '' } = query;
  const wanted = { q, uid: account.id, exclusive: true, includeDesc: true, sort: 'updated', order: 'desc' };
  const list = await found(viewer, wanted, paging, tools);
  const isFirst = query.tab === undefined && q === '' && paging.page === 1;
  const about = isFirst ? await aboutPart(viewer, account, tools) : html``;
  const path = accountPath(account.name);
  const form =
    list.total > 0 || q !== ''
      ? searchForm({
          path,
          words: q,
          label: 'Find a repository',
          charsMax: SEARCH_LIMITS.searchTextCharsMax,
          more: html`<input type="hidden" name="tab" value="repositories">`,
        })
      : html``;
  const none = emptyHtml(
    q === '' ? `${account.name} has no repository that you may see` : 'No repository matches',
    q === '' ? '' : html`<a href="${path}?tab=repositories">Show all</a>`,
  );
  const more = new URLSearchParams({ tab: 'repositories', ...(q === '' ? {} : { q }) });
  if (paging.limit !== WEB_LIMITS.exploreItemsMax) more.set('limit', `${paging.limit}`);
  const hasNext = paging.page * paging.limit < list.total;
  return html`${about}${form}${list.items.length === 0 ? none : repositoryRows(list.items)}
${pagerHtml(`${path}?${more}`, { page: paging.page, hasNext })}`;
}

const NOTHING: Page<PermittedRepository> = { items: [], total: 0 };

async function found(
  viewer: Viewer,
  wanted: Parameters<typeof selectionOf>[1],
  paging: Paging,
  { repositories }: TabTools,
): Promise<Page<PermittedRepository>> {
  try {
    const selection = selectionOf(viewer, wanted);
    return selection === undefined ? NOTHING : await repositories.lists.select(viewer, selection, paging);
  } catch (error) {
    // A search with too many words finds nothing.
    if (!isFailure(error, 'invalid')) throw error;
    return NOTHING;
  }
}

/** The README of the repository that has the name of its owner. */
async function aboutPart(
  viewer: Viewer,
  { name }: Account,
  { repositories, reading, markdown }: TabTools,
): Promise<Html> {
  const permitted = await repositories.findFor(viewer, { owner: name, name }, CONTENTS.readRaw);
  const location = permitted && (await reading.openDefaultBranch(permitted));
  if (location === undefined) return html``;
  const { objects } = location.snapshot;
  const { tree } = await objects.readCommit(location.commit);
  return html`${await readmePart(viewer, location, await objects.readTree(tree), { markdown })}
`;
}

async function activityTab({ viewer, account, query }: Shown, tools: TabTools): Promise<Html> {
  const { activities, addresses } = tools;
  const paging = pagingOf({ ...query, limit: WEB_LIMITS.activitiesPageItemsMax });
  const feed = await activities.ofAccount(viewer, account, {
    paging,
    onlyPerformed: account.kind === 'user',
  });
  const heatmap = heatmapHtml(await activities.heatmap(viewer, account.name));
  const none = emptyHtml('No activity that you may see');
  const hasNext = paging.page * paging.limit < feed.total;
  return html`${heatmap}${feed.items.length === 0 ? none : activityList(feed.items, addresses)}
${pagerHtml(`${accountPath(account.name)}?tab=activity`, { page: paging.page, hasNext })}`;
}

async function teamsTab(shown: Shown, paging: Paging, { teams }: TabTools): Promise<Html | undefined> {
  const { viewer, account } = shown;
  if (!mayAlso(viewer, TEAM.list)) return undefined;
  const list = await teams.search(viewer, account.name, { words: '', inDescription: false }, paging);
  const rows = list.items.map(
    ({ name, description, level }) =>
      html`<li><div class="grow"><h2 class="row-title"><strong>${name}</strong></h2>${description === '' ? html`` : html`<p>${description}</p>`}</div><span class="badge">${level}</span></li>
`,
  );
  const none = emptyHtml('No team');
  return listTab(shown, { tab: 'teams', paging, list, rows: html`<ul class="rows box">${rows}</ul>`, none });
}

/** Whether the credential of a viewer suffices for what the page shows besides its own action. */
export function mayAlso(viewer: Viewer, action: Action): boolean {
  return whyNotByCredential(viewer, action) === undefined;
}
