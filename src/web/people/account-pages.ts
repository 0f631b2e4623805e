import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Standing } from '../../api/access/standing.ts';
import { reachesRank } from '../../api/access/standing.ts';
import { isSignedIn } from '../../api/access/viewer.ts';
import { isFailure, notFound, undefinedIf } from '../../base/core/failure.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import { ACCOUNT_REPOSITORIES } from '../../hosting/repositories/actions.ts';
import type { App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { sendPage } from '../../http/pages/page.ts';
import { PagingQuery } from '../../http/paging.ts';
import type { Account, PublicAccount } from '../../people/accounts/model.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { BLOCK } from '../../people/blocks/actions.ts';
import { FOLLOW } from '../../people/follows/actions.ts';
import { ACCOUNT_ORGANIZATIONS, ORGANIZATION } from '../../people/organizations/actions.ts';
import { accountPath } from '../addresses.ts';
import { feedLinks } from '../feeds/feed-document.ts';
import { problemHtml, signedIn } from '../forms/form-parts.ts';
import { WEB_LIMITS } from '../limits.ts';
import { icon } from '../parts/icons.ts';
import { type Tab, tabsHtml } from '../parts/lists.ts';
import { buttonForm } from '../sign-in/button-form.ts';
import { fieldProblemOf } from '../sign-in/field-problem.ts';
import { accountTab, mayAlso, type TabQuery, type TabTools } from './account-tabs.ts';
import { organizationHead, userCard } from './profile-parts.ts';

interface Dependencies extends TabTools {
  readonly accounts: Accounts;
}

const Query = Type.Object({
  ...PagingQuery,
  tab: Type.Optional(Type.String()),
  q: Type.Optional(Type.String()),
});
const Params = Type.Object({ owner: Type.String() });

/** Registers the pages of users and organizations. */
export function accountPages(app: App, dependencies: Dependencies): void {
  const { accounts, follows, addresses } = dependencies;
  const config = { action: ACCOUNT_REPOSITORIES.listRepositoriesOf };
  app.get('/:owner', { config, schema: { params: Params, querystring: Query } }, async (request, reply) => {
    const account = await accounts.getByName(request.viewer, request.params.owner);
    return sendAccount(request, reply, { account, query: request.query }, dependencies);
  });

  app.post(
    '/:owner',
    { config: { action: FOLLOW.change, isForm: true }, schema: { params: Params } },
    async (request, reply) => {
      const viewer = signedIn(request);
      const account = await accounts.getByName(viewer, request.params.owner);
      try {
        if (fieldOf(request, 'action') === 'unfollow') await follows.remove(viewer, account.name);
        else await follows.add(viewer, account.name);
        return reply.redirect(localAddress(accountPath(account.name), addresses), 303);
      } catch (error) {
        const problem = fieldProblemOf(error, reply);
        if (problem === undefined) throw error;
        return sendAccount(request, reply, { account, query: {}, problem }, dependencies);
      }
    },
  );
}

async function sendAccount(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    account,
    query,
    problem,
  }: { readonly account: Account; readonly query: TabQuery; readonly problem?: string },
  dependencies: Dependencies,
): Promise<FastifyReply> {
  const { viewer } = request;
  const tab = query.tab ?? '';
  const isUser = account.kind === 'user';
  const standing = isUser ? undefined : await standingIn(request, account, dependencies);
  const content = await accountTab({ viewer, account, query }, tab, dependencies).catch(
    // Teams are hidden from those who are not members.
    undefinedIf('forbidden', 'unauthenticated'),
  );
  if (content === undefined) throw notFound('page');
  const acts = await actsPart(request, reply, { account, standing }, dependencies);
  const tabs = tabsHtml(account.name, tabsOf(account, standing), tabPath(account, tab));
  const { addresses } = dependencies;
  const main = html`${problemHtml(problem)}${tabs}<div class="stack">${content}</div>`;
  const body = isUser
    ? html`<div class="columns profile">${userCard(account, {
        acts,
        organizations: await organizationsOf(request, account, dependencies),
        isSignedIn: isSignedIn(viewer),
        addresses,
      })}<div>${main}</div></div>`
    : html`${organizationHead(account, { acts, addresses })}${main}`;
  return sendPage(reply, {
    title: account.fullName === '' ? account.name : `${account.fullName} (${account.name})`,
    head: feedLinks(`Feed of ${account.name}`, accountPath(account.name)),
    hasForm: isSignedIn(viewer),
    body,
  });
}

async function standingIn(
  { viewer }: FastifyRequest,
  { name }: Account,
  { organizations }: Dependencies,
): Promise<Standing | undefined> {
  if (!mayAlso(viewer, ORGANIZATION.read)) return undefined;
  return (await organizations.get(viewer, name, ORGANIZATION.read)).standing;
}

async function organizationsOf(
  { viewer }: FastifyRequest,
  { name }: Account,
  { organizations }: Dependencies,
): Promise<readonly PublicAccount[]> {
  if (!mayAlso(viewer, ACCOUNT_ORGANIZATIONS.listOrganizationsOf)) return [];
  const paging = { page: 1, limit: WEB_LIMITS.profileOrganizationsMax };
  return (await organizations.listOf(viewer, name, paging)).items;
}

function tabPath({ name }: Account, tab: string): string {
  return tab === '' || tab === 'repositories' ? accountPath(name) : `${accountPath(name)}?tab=${tab}`;
}

function tabsOf(account: Account, standing: Standing | undefined): readonly Tab[] {
  const to = (tab: string) => tabPath(account, tab);
  const repositories = { path: to(''), words: 'Repositories', icon: icon('repository') };
  const activity = { path: to('activity'), words: 'Activity', icon: icon('history') };
  if (account.kind === 'user') {
    const { starredCount, followersCount, followingCount } = account;
    return [
      repositories,
      activity,
      { path: to('stars'), words: 'Stars', icon: icon('star'), count: starredCount },
      { path: to('followers'), words: 'Followers', icon: icon('people'), count: followersCount },
      { path: to('following'), words: 'Following', icon: icon('person'), count: followingCount },
    ];
  }
  const isMember = standing !== undefined && reachesRank(standing, 'member');
  return [
    repositories,
    activity,
    { path: to('members'), words: 'Members', icon: icon('people') },
    ...(isMember ? [{ path: to('teams'), words: 'Teams', icon: icon('person') }] : []),
  ];
}

/** What the viewer can do with an account: follow it, block it, or change it. */
async function actsPart(
  request: FastifyRequest,
  reply: FastifyReply,
  { account, standing }: { readonly account: Account; readonly standing: Standing | undefined },
  { follows, addresses }: Dependencies,
): Promise<Html> {
  const { viewer } = request;
  if (!isSignedIn(viewer)) return html``;
  const { name } = account;
  if (viewer.accountId === account.id)
    return html`<p><a class="button" href="/user/settings">${icon('pencil')}Edit your profile</a></p>`;
  const isOwner = standing !== undefined && reachesRank(standing, 'owner');
  const settings = isOwner
    ? html`<a class="button" href="/org/${encodeURIComponent(name)}/settings">${icon('gear')}Settings</a>`
    : html``;
  const mayCreate = standing?.mayCreateRepositories === true;
  const add = mayCreate
    ? html`<a class="button primary" href="/repo/create?owner=${encodeURIComponent(name)}">${icon('plus')}New repository</a>`
    : html``;
  if (!mayAlso(viewer, FOLLOW.readOwn)) return html`${settings}${add}`;
  const isFollowed = await follows.requireOwn(viewer, name).then(
    () => true,
    (error: unknown) => {
      if (isFailure(error, 'not_found')) return false;
      throw error;
    },
  );
  const form = buttonForm(
    request,
    reply,
    {
      action: accountPath(name),
      fields: { action: isFollowed ? 'unfollow' : 'follow' },
      button: isFollowed ? 'Unfollow' : 'Follow',
      look: isFollowed || mayCreate ? 'small' : 'small primary',
    },
    addresses,
  );
  const block =
    account.kind === 'user' && mayAlso(viewer, BLOCK.change)
      ? buttonForm(
          request,
          reply,
          { action: '/user/settings/blocked_users', fields: { user: name }, button: 'Block' },
          addresses,
        )
      : html``;
  return html`<div class="row">${form}${block}${settings}${add}</div>`;
}
