import type { FastifyReply } from 'fastify';
import { type Html, html } from '../../base/core/text/html.ts';
import { SECURITY_PATH } from '../../http/errors/web.ts';
import { OWN_ACCOUNT_PATH } from '../../http/pages/link-paths.ts';
import { sendPage } from '../../http/pages/page.ts';
import { besideNav } from '../parts/side-nav.ts';

/** The pages on which users change what is theirs. */
const LINKS = [
  { path: '/user/settings', words: 'Profile' },
  { path: OWN_ACCOUNT_PATH, words: 'Account' },
  { path: SECURITY_PATH, words: 'Security' },
  { path: '/user/settings/sessions', words: 'Sessions' },
  { path: '/user/settings/linked-accounts', words: 'Linked accounts' },
  { path: '/user/settings/keys', words: 'SSH and OpenPGP keys' },
  { path: '/user/settings/tokens', words: 'Access tokens' },
  { path: '/user/settings/applications', words: 'Applications' },
  { path: '/user/settings/notifications', words: 'Notifications' },
  { path: '/user/settings/blocked_users', words: 'Blocked users' },
];

/** Sends a page of the settings of a user, beside the links to the others. @param current path of the page */
export function sendOwnSettings(
  reply: FastifyReply,
  page: {
    readonly title: string;
    readonly body: Html;
    readonly current: string;
    readonly isSecret?: boolean | undefined;
  },
): FastifyReply {
  const { title, body, current, isSecret } = page;
  const content = html`<div class="stack">
<h1>${title}</h1>
${body}
</div>`;
  return sendPage(reply, {
    title,
    hasForm: true,
    isSecret,
    body: besideNav(reply, { label: 'Settings', links: LINKS, current }, content),
  });
}
