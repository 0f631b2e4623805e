import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses } from '../../http/app.ts';
import type { Activity } from '../../tracker/activities/model.ts';
import { accountPath } from '../addresses.ts';
import { feedEntryOf } from '../feeds/feed-entries.ts';
import { avatarHtml } from '../parts/people.ts';
import { agoHtml } from '../parts/time.ts';

const AVATAR_PX = 32;

/** Returns what accounts did, in the words of their feeds. */
export function activityList(activities: readonly Activity[], addresses: Addresses): Html {
  return html`<ul class="rows box activities">
${activities.map((activity) => rowOf(activity, addresses))}</ul>`;
}

function rowOf(activity: Activity, addresses: Addresses): Html {
  const { actor, at } = activity;
  const { title, link, content } = feedEntryOf(activity, addresses);
  const did = title.slice(actor.name.length + 1);
  return html`<li>${avatarHtml(actor, AVATAR_PX, addresses)}<div class="grow"><p><a href="${accountPath(actor.name)}"><strong>${actor.name}</strong></a> <a class="plain" href="${pathIn(link, addresses)}">${did}</a> <span class="quiet small nowrap">${agoHtml(at)}</span></p>
<div class="quiet small clipped">${content}</div></div></li>
`;
}

/** Returns an address of this server without its base URL, which the page adds. */
function pathIn(address: string, { baseUrl }: Addresses): string {
  return address.startsWith(`${baseUrl}/`) ? address.slice(baseUrl.length) : address;
}
