import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Viewer } from '../../api/access/viewer.ts';
import { pagingOf } from '../../base/core/paging.ts';
import { html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf, isChecked } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { PagingQuery } from '../../http/paging.ts';
import { SITE } from '../../people/accounts/actions.ts';
import { ACCOUNT_LIMITS } from '../../people/accounts/limits.ts';
import type { Account } from '../../people/accounts/model.ts';
import { orderOf } from '../../people/accounts/options.ts';
import { seesEmails } from '../../people/accounts/present.ts';
import { AccountListQuery } from '../../people/accounts/schema.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { formHtml, problemHtml, signedIn } from '../forms/form-parts.ts';
import { WEB_LIMITS } from '../limits.ts';
import { checkbox, textField } from '../parts/fields.ts';
import { emptyHtml, pagerHtml } from '../parts/lists.ts';
import { avatarHtml } from '../parts/people.ts';
import { searchForm } from '../parts/search-form.ts';
import { agoHtml } from '../parts/time.ts';
import { fieldProblemOf } from '../sign-in/field-problem.ts';
import { ADMIN_PATH, sendAdmin } from './admin-frame.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly addresses: Addresses;
}

export const USERS_PATH = `${ADMIN_PATH}/users`;
const NEW_PATH = `${USERS_PATH}/new`;
const AVATAR_PX = 24;
const SORTS = [
  ['alphabetically', 'Name'],
  ['newest', 'Newest'],
  ['oldest', 'Oldest'],
  ['recentupdate', 'Recently changed'],
] as const;

/** Returns the path of the page on which an administrator changes a user. */
export function adminUserPath(name: string): string {
  return `${USERS_PATH}/${encodeURIComponent(name)}/edit`;
}

/** Registers the list of all users, and the page that creates one. */
export function adminUserPages(app: App, dependencies: Dependencies): void {
  const { accounts, addresses } = dependencies;
  const querystring = Type.Object({ ...AccountListQuery, ...PagingQuery });
  app.get(
    USERS_PATH,
    { config: { action: SITE.listAccounts }, schema: { querystring } },
    async (request, reply) => {
      const { q = '', sort = 'alphabetically' } = request.query;
      const paging = pagingOf({ limit: WEB_LIMITS.adminUsersMax, ...request.query });
      const search = { words: q.trim(), order: orderOf(sort) };
      const { items, total } = await accounts.listUsers(signedIn(request), paging, search);
      const kept = new URLSearchParams({ q, sort });
      const form = searchForm({
        path: USERS_PATH,
        words: q,
        label: 'Part of a name',
        charsMax: ACCOUNT_LIMITS.searchWordCharsMax,
        choices: [{ name: 'sort', label: 'Order', value: sort, options: SORTS }],
        more: html`<a class="button primary" href="${NEW_PATH}">New user</a>`,
      });
      const list =
        items.length === 0
          ? emptyHtml('No user matches')
          : html`<ul class="rows box">${items.map((account) => rowOf(account, request.viewer, addresses))}</ul>`;
      return sendAdmin(reply, {
        title: 'Users',
        current: USERS_PATH,
        body: html`${form}<p class="quiet small" role="status">${total.toLocaleString('en-US')} in all</p>
${list}
${pagerHtml(`${USERS_PATH}?${kept}`, { page: paging.page, hasNext: paging.page * paging.limit < total })}`,
      });
    },
  );

  app.get(NEW_PATH, { config: { action: SITE.createAccount } }, async (request, reply) =>
    sendNew(request, reply, dependencies),
  );

  app.post(NEW_PATH, { config: { action: SITE.createAccount, isForm: true } }, async (request, reply) => {
    const password = fieldOf(request, 'password');
    try {
      const { name } = await accounts.createUser(signedIn(request), {
        name: fieldOf(request, 'username').trim(),
        email: fieldOf(request, 'email').trim(),
        fullName: fieldOf(request, 'full_name').trim(),
        password: password === '' ? null : password,
        isAdmin: isChecked(request, 'admin'),
        mustChangePassword: password !== '' && isChecked(request, 'must_change_password'),
      });
      return reply.redirect(localAddress(adminUserPath(name), addresses), 303);
    } catch (error) {
      const problem = fieldProblemOf(error, reply);
      if (problem === undefined) throw error;
      return sendNew(request, reply, dependencies, problem);
    }
  });
}

function rowOf(account: Account, viewer: Viewer, addresses: Addresses) {
  const { name, fullName, lastLoginAt } = account;
  const email = seesEmails(viewer) ? account.email : '';
  const used = lastLoginAt === null ? html`never signed in` : html`signed in ${agoHtml(lastLoginAt)}`;
  return html`<li>${avatarHtml(account, AVATAR_PX, addresses)}<div class="grow"><a href="${adminUserPath(name)}"><strong>${name}</strong></a> <span class="quiet">${fullName}</span> ${stateBadgesOf(account)}
<p class="quiet small">${email}, ${used}</p></div></li>
`;
}

/** Returns the words for what an account may do. */
export function stateBadgesOf({ isAdmin, isActive, isLoginProhibited, isRestricted }: Account) {
  const words = [
    ...(isAdmin ? ['Administrator'] : []),
    ...(isActive ? [] : ['Waits for activation']),
    ...(isLoginProhibited ? ['Suspended'] : []),
    ...(isRestricted ? ['Restricted'] : []),
  ];
  return words.map((word) => html`<span class="badge">${word}</span> `);
}

function sendNew(
  request: FastifyRequest,
  reply: FastifyReply,
  { addresses }: Dependencies,
  problem?: string,
): FastifyReply {
  const value = (name: string) => fieldOf(request, name);
  const isNew = request.method !== 'POST';
  const form = formHtml(
    request,
    reply,
    {
      action: NEW_PATH,
      fields: html`${textField({ name: 'username', label: 'Name', value: value('username'), isRequired: true, hasFocus: true, charsMax: ACCOUNT_LIMITS.nameCharsMax })}${textField({ name: 'email', label: 'E-mail address', type: 'email', value: value('email'), isRequired: true })}${textField({ name: 'full_name', label: 'Full name', value: value('full_name') })}${textField({ name: 'password', label: 'Password', type: 'password', autocomplete: 'new-password', hint: 'Empty: no password. Then make a link on the next page, which lets the user choose one.' })}${checkbox({ name: 'must_change_password', label: 'The user must choose another password at the first sign-in', isChecked: isNew || isChecked(request, 'must_change_password') })}${checkbox({ name: 'admin', label: 'Administrator', isChecked: isChecked(request, 'admin') })}`,
      button: 'Create the user',
    },
    addresses,
  );
  return sendAdmin(reply, {
    title: 'New user',
    current: USERS_PATH,
    body: html`${problemHtml(problem)}${form}`,
  });
}
