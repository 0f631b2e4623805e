import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses } from '../../http/app.ts';
import type { Account, PublicAccount } from '../../people/accounts/model.ts';
import { accountPath } from '../addresses.ts';
import { icon } from '../parts/icons.ts';
import { counted } from '../parts/numbers.ts';
import { avatarHtml } from '../parts/people.ts';
import { dayHtml } from '../parts/time.ts';

const AVATAR_PX = 220;
const ORGANIZATION_AVATAR_PX = 72;
const SMALL_AVATAR_PX = 32;

/** Returns what a user says about themselves, for the side of their page. */
export function userCard(
  account: Account,
  {
    acts,
    organizations,
    isSignedIn,
    addresses,
  }: {
    /** forms of what the viewer can do with the account */
    readonly acts: Html;
    readonly organizations: readonly PublicAccount[];
    readonly isSignedIn: boolean;
    readonly addresses: Addresses;
  },
): Html {
  const { name, fullName, description, followersCount, followingCount, hidesPronouns } = account;
  const path = accountPath(name);
  const pronouns =
    account.pronouns === '' || (hidesPronouns && !isSignedIn)
      ? html``
      : html` <span class="quiet small">${account.pronouns}</span>`;
  return html`<aside class="stack profile-card" aria-label="About ${name}">
${avatarHtml(account, AVATAR_PX, addresses)}
<div><h1>${fullName === '' ? name : fullName}</h1><p class="quiet">${name}${pronouns}</p></div>
${description === '' ? html`` : html`<p>${description}</p>`}
${acts}<p class="row small"><a href="${path}?tab=followers">${counted(followersCount, 'follower')}</a><a href="${path}?tab=following">${followingCount.toLocaleString('en-US')} following</a></p>
${factsOf(account)}${organizationsOf(organizations, addresses)}</aside>`;
}

/** Returns what an organization says about itself, for the top of its page. */
export function organizationHead(
  account: Account,
  { acts, addresses }: { readonly acts: Html; readonly addresses: Addresses },
): Html {
  const { name, fullName, description, visibility } = account;
  const state = visibility === 'public' ? html`` : html` <span class="badge">${visibility}</span>`;
  return html`<header class="row organization-head">${avatarHtml(account, ORGANIZATION_AVATAR_PX, addresses)}
<div class="grow stack tight"><h1>${fullName === '' ? name : fullName}${state}</h1>
${description === '' ? html`` : html`<p>${description}</p>`}
${factsOf(account)}</div><div class="end row">${acts}</div></header>`;
}

function factsOf({ location, website, createdAt }: Account): Html {
  const place = location === '' ? html`` : html`<li>${icon('place')} ${location}</li>`;
  // Only addresses of the web become links: others could run a script.
  const isLink = /^https?:\/\//i.test(website);
  const site =
    website === ''
      ? html``
      : html`<li>${icon('link')} ${isLink ? html`<a href="${website}" rel="me nofollow noopener noreferrer">${website}</a>` : website}</li>`;
  return html`<ul class="facts">${place}${site}<li>${icon('clock')} since ${dayHtml(createdAt)}</li></ul>
`;
}

function organizationsOf(organizations: readonly PublicAccount[], addresses: Addresses): Html {
  if (organizations.length === 0) return html``;
  return html`<div class="stack tight"><h2>Organizations</h2><p class="row">${organizations.map(
    (each) =>
      html`<a href="${accountPath(each.name)}" title="${each.name}">${avatarHtml(each, SMALL_AVATAR_PX, addresses)}<span class="sr-only">${each.name}</span></a> `,
  )}</p></div>
`;
}
