import { Type } from 'typebox';
import { type Page, pagingOf } from '../../base/core/paging.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import { ACCOUNT_REPOSITORIES } from '../../hosting/repositories/actions.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import { sendPage } from '../../http/pages/page.ts';
import { PagingQuery } from '../../http/paging.ts';
import type { Account } from '../../people/accounts/model.ts';
import { avatarAddress } from '../../people/accounts/present.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { accountPath, repositoryPath } from '../addresses.ts';
import { feedLinks } from '../feeds/feed-document.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly addresses: Addresses;
}

/** Registers the pages of users and organizations. */
export function accountPages(app: App, { accounts, repositories, addresses }: Dependencies): void {
  app.get(
    '/:owner',
    {
      config: { action: ACCOUNT_REPOSITORIES.listRepositoriesOf },
      schema: { params: Type.Object({ owner: Type.String() }), querystring: Type.Object(PagingQuery) },
    },
    async (request, reply) => {
      const account = await accounts.getByName(request.viewer, request.params.owner);
      const paging = pagingOf(request.query);
      const list = await repositories.lists.ofOwner(request.viewer, account.id, paging);
      const next = paging.page * paging.limit < list.total ? paging.page + 1 : null;
      return sendPage(reply, {
        title: account.name,
        head: feedLinks(`Feed of ${account.name}`, accountPath(account.name)),
        body: accountBody(account, list, { next, limit: paging.limit, addresses }),
      });
    },
  );
}

function accountBody(
  account: Account,
  { items }: Page<PermittedRepository>,
  { next, limit, addresses }: { next: number | null; limit: number; addresses: Addresses },
): Html {
  const list = items.map(
    ({ repository }) =>
      html`<li><a href="${repositoryPath(repository)}">${repository.name}</a> ${repository.description}</li>\n`,
  );
  const more = html`<p><a href="${accountPath(account.name)}?page=${next ?? 1}&limit=${limit}">more</a></p>`;
  return html`<h1><img src="${avatarAddress(account, addresses)}" alt="" width="48" height="48"> ${account.name}</h1>
<p>${account.fullName}</p>
<p>${account.description}</p>
<ul>
${list}</ul>
${next === null ? html`` : more}`;
}
