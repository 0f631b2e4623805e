import type { FastifyReply } from 'fastify';
import { type Html, html } from '../../base/core/text/html.ts';
import { sendPage } from '../../http/pages/page.ts';
import { besideNav } from '../parts/side-nav.ts';

export const ADMIN_PATH = '/-/admin';

const LINKS = [
  { path: ADMIN_PATH, words: 'Overview' },
  { path: `${ADMIN_PATH}/users`, words: 'Users' },
  { path: `${ADMIN_PATH}/orgs`, words: 'Organizations' },
  { path: '/explore/repos', words: 'Repositories' },
  { path: `${ADMIN_PATH}/cron`, words: 'Recurring work' },
  { path: '/admin/applications', words: 'Applications of the site' },
  { path: `${ADMIN_PATH}/audit`, words: 'Audit log' },
  { path: `${ADMIN_PATH}/config`, words: 'Configuration' },
];

/** Sends a page of the administration, beside the links to the others. */
export function sendAdmin(
  reply: FastifyReply,
  page: {
    readonly title: string;
    /** path of the part that the page belongs to */
    readonly current: string;
    readonly body: Html;
    readonly isSecret?: boolean;
  },
): FastifyReply {
  const { title, current, body, isSecret } = page;
  const content = html`<div class="stack">
<h1>${title}</h1>
${body}
</div>`;
  return sendPage(reply, {
    title: `${title} · Administration`,
    hasForm: true,
    isSecret,
    body: besideNav(reply, { label: 'Administration', links: LINKS, current }, content),
  });
}
