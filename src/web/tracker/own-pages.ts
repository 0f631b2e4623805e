import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type Html, html } from '../../base/core/text/html.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { Addresses, App } from '../../http/app.ts';
import { sendPage } from '../../http/pages/page.ts';
import { ISSUE } from '../../tracker/issues/actions.ts';
import type { IssueSearchFilter } from '../../tracker/issues/model.ts';
import { searchFilterOf } from '../../tracker/issues/options.ts';
import type { Issues } from '../../tracker/issues/service.ts';
import { signedIn } from '../forms/form-parts.ts';
import { WEB_LIMITS } from '../limits.ts';
import { icon } from '../parts/icons.ts';
import { emptyHtml, pagerHtml, tabsHtml } from '../parts/lists.ts';
import { stateLinks } from './parts/filters.ts';
import { issueRows } from './parts/issue-rows.ts';

interface Dependencies {
  readonly issues: Issues;
  readonly addresses: Addresses;
}

const Text = Type.Optional(Type.String());
const Query = Type.Object({ type: Text, state: Text, q: Text, page: Text });

/** How the viewer takes part in the issues of a list. */
interface Role {
  /** in the address; '' for the first list */
  readonly type: string;
  readonly words: string;
  readonly own: Partial<IssueSearchFilter['isOwn']>;
}

const ASSIGNED: Role = { type: '', words: 'Assigned to you', own: { assigned: true } };
const ROLES: readonly Role[] = [
  ASSIGNED,
  { type: 'created', words: 'Opened by you', own: { created: true } },
  { type: 'mentioned', words: 'Mentioning you', own: { mentioned: true } },
];
const PULL_ROLES: readonly Role[] = [
  ...ROLES,
  { type: 'review_requested', words: 'Waiting for your review', own: { reviewRequested: true } },
];
const NO_ROLE = {
  created: false,
  assigned: false,
  mentioned: false,
  reviewRequested: false,
  reviewed: false,
};

/** Registers the lists of the issues and pull requests in which the viewer takes part. */
export function ownPages(app: App, dependencies: Dependencies): void {
  for (const kind of ['issues', 'pulls'] as const)
    app.get(
      `/${kind}`,
      { config: { action: ISSUE.searchOwn }, schema: { querystring: Query } },
      (request, reply) => sendOwn(request, reply, kind, dependencies),
    );
}

async function sendOwn(
  request: FastifyRequest,
  reply: FastifyReply,
  kind: 'issues' | 'pulls',
  { issues, addresses }: Dependencies,
): Promise<FastifyReply> {
  const viewer = signedIn(request);
  const {
    type,
    state = 'open',
    q = '',
    page: pageText = '1',
  } = request.query as Record<string, string | undefined>;
  const page = parseId(pageText) ?? 1;
  const roles = kind === 'pulls' ? PULL_ROLES : ROLES;
  const role = roles.find((each) => each.type === type) ?? ASSIGNED;
  const filter = { ...searchFilterOf({ state, q, type: kind }), isOwn: { ...NO_ROLE, ...role.own } };
  const limit = WEB_LIMITS.issueListItemsMax;
  const found = await issues.search(viewer, filter, { page, limit });
  const count = async (wanted: 'open' | 'closed') =>
    wanted === filter.state
      ? found.total
      : (await issues.search(viewer, { ...filter, state: wanted }, { page: 1, limit: 1 })).total;
  const counts = { open: await count('open'), closed: await count('closed') };
  const title = kind === 'pulls' ? 'Your pull requests' : 'Your issues';
  const path = role.type === '' ? `/${kind}` : `/${kind}?type=${role.type}`;
  const rows =
    found.items.length === 0
      ? emptyHtml(q === '' ? 'Nothing here' : 'Nothing matches', nothingPart(kind, q, path))
      : issueRows(found.items, { addresses, isOfSeveral: true });
  const at = withQuery(path, { q, state: state === 'open' ? '' : state });
  return sendPage(reply, {
    title,
    body: html`<div class="stack"><h1>${title}</h1>
${tabsHtml(
  title,
  roles.map((each) => ({
    path: each.type === '' ? `/${kind}` : `/${kind}?type=${each.type}`,
    words: each.words,
  })),
  path,
)}${searchForm(kind, role, { q, state })}<section class="box" aria-label="${title}"><div class="title">${stateLinks(`/${kind}`, { q, state }, counts, role.type === '' ? {} : { type: role.type })}</div>
${rows}</section>
${pagerHtml(at, { page, hasNext: page * limit < found.total })}</div>`,
  });
}

function nothingPart(kind: 'issues' | 'pulls', q: string, path: string): Html | string {
  if (q !== '') return html`<a href="${path}">Clear the search</a>`;
  return kind === 'issues'
    ? 'Issues of all repositories appear here.'
    : 'Pull requests of all repositories appear here.';
}

function searchForm(
  kind: 'issues' | 'pulls',
  { type }: Role,
  { q, state }: { readonly q: string; readonly state: string },
): Html {
  const hidden = (name: string, value: string) =>
    value === '' ? html`` : html`<input type="hidden" name="${name}" value="${value}">`;
  return html`<form class="filters" action="/${kind}" role="search"><label class="words"><span class="sr-only">Words</span><input type="search" name="q" value="${q}" placeholder="Words in titles and texts" maxlength="255"></label>${hidden('type', type)}${hidden('state', state === 'open' ? '' : state)}<button>${icon('search')}Search</button></form>
`;
}

function withQuery(path: string, fields: Readonly<Record<string, string>>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== '');
  const text = new URLSearchParams(given).toString();
  if (text === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${text}`;
}
