import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses } from '../../http/app.ts';
import type { PublicAccount } from '../../people/accounts/model.ts';
import { avatarAddress } from '../../people/accounts/present.ts';
import { accountPath } from '../addresses.ts';

/** Returns the picture of an account, which decorates its name. */
export function avatarHtml(
  account: Pick<PublicAccount, 'id' | 'avatar'>,
  sizePx: number,
  addresses: Addresses,
): Html {
  return html`<img class="avatar" src="${avatarAddress(account, addresses)}" alt="" width="${sizePx}" height="${sizePx}" loading="lazy">`;
}

/** Returns the name of an account, which leads to its page. @param account null: it was deleted */
export function personHtml(account: { readonly name: string } | null): Html {
  if (account === null) return html`<span>Ghost</span>`;
  return html`<a href="${accountPath(account.name)}">${account.name}</a>`;
}
