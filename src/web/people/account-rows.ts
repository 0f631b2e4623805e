import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses } from '../../http/app.ts';
import type { PublicAccount } from '../../people/accounts/model.ts';
import { accountPath } from '../addresses.ts';
import { avatarHtml } from '../parts/people.ts';
import { dayHtml } from '../parts/time.ts';

const AVATAR_PX = 40;

/** Returns a list of users or organizations. */
export function accountRows(accounts: readonly PublicAccount[], addresses: Addresses): Html {
  return html`<ul class="rows box">
${accounts.map((account) => rowOf(account, addresses))}</ul>`;
}

function rowOf(account: PublicAccount, addresses: Addresses): Html {
  const { name, fullName, description, location, createdAt } = account;
  const about = description === '' ? html`` : html`<p class="clipped">${description}</p>`;
  const place = location === '' ? html`` : html`<span>${location}</span>`;
  return html`<li>${avatarHtml(account, AVATAR_PX, addresses)}<div class="grow"><h2 class="row-title"><a href="${accountPath(name)}"><strong>${name}</strong></a> <span class="quiet">${fullName}</span></h2>
${about}<p class="quiet small row">${place}<span>since ${dayHtml(createdAt)}</span></p></div></li>
`;
}
