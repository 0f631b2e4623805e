import type { FastifyRequest } from 'fastify';
import { ANONYMOUS, isSignedIn, type Viewer } from '../../api/access/viewer.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import { SIGN_IN_PATH } from '../../http/errors/web.ts';
import type { PageFrame } from '../../http/pages/page.ts';
import { accountPath } from '../addresses.ts';
import { icon } from '../parts/icons.ts';
import type { PageSettings } from './model.ts';

/** What is around each page: the way to the parts of the server, and who has signed in. */
export function frameOf(
  request: FastifyRequest,
  { settings, version }: { settings: PageSettings; version: string },
): PageFrame {
  // A request may be refused before its viewer is known.
  const viewer: Viewer = (request.viewer as Viewer | null) ?? ANONYMOUS;
  const { url } = request;
  return { head: styles(settings), header: header(viewer, url, settings), footer: footer(settings, version) };
}

function styles({ styles: own }: PageSettings): Html {
  return own === undefined
    ? html``
    : html`<link rel="stylesheet" href="${own.path}">
`;
}

function header(viewer: Viewer, url: string, { siteName, notice, logo }: PageSettings): Html {
  const mark = logo === undefined ? MARK : html`<img src="${logo.path}" alt="" height="22">`;
  const said =
    notice === ''
      ? html``
      : html`<p class="site-notice" role="note">${notice}</p>
`;
  return html`${said}<header class="site-header"><div>
<a class="brand" href="/">${mark}${siteName}</a>
<nav aria-label="Server">${isSignedIn(viewer) ? ownLinks(url) : html``}${link('/explore/repos', 'Explore', url)}</nav>
<form class="site-search" role="search" aria-label="Repositories of this server" action="/explore/repos"><label><span class="sr-only">Search repositories</span><input type="search" name="q" placeholder="Search repositories" maxlength="200"></label></form>
<div class="end">${isSignedIn(viewer) ? ownMenu(viewer) : signInLink(url)}</div>
</div></header>
`;
}

/** Returns the links to the lists of the viewer. */
function ownLinks(url: string): Html {
  return html`${link('/-/notes', 'Notes', url)}${link('/issues', 'Issues', url)}${link('/pulls', 'Pull requests', url)}${link('/notifications', 'Notifications', url)}`;
}

/** Sheets that are folded into each other: a quire. */
const MARK = html`<svg width="22" height="22" viewBox="0 0 22 22" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round" aria-hidden="true"><path d="M11 5.5C8.5 3.6 5.6 3 2 3v13c3.6 0 6.5.6 9 2.5 2.5-1.9 5.4-2.5 9-2.5V3c-3.6 0-6.5.6-9 2.5Zm0 0v13M5 7c1.3.1 2.4.4 3.5 1M5 10.5c1.3.1 2.4.4 3.5 1M17 7c-1.3.1-2.4.4-3.5 1M17 10.5c-1.3.1-2.4.4-3.5 1"/></svg>`;

function link(path: string, text: string, url: string): Html {
  const current = url === path || url.startsWith(`${path}?`) ? html` aria-current="page"` : html``;
  return html`<a href="${path}"${current}>${text}</a>`;
}

function signInLink(url: string): Html {
  // The page of the sign-in would lead back to itself. The address of a clone is also that of a page.
  const here = url.replace(/\.git(?=$|\?)/, '');
  const back = url === '/' || url.startsWith('/user/') ? '' : `?redirect_to=${encodeURIComponent(here)}`;
  return html`<a class="button small" href="${SIGN_IN_PATH}${back}">Sign in</a>`;
}

function ownMenu(viewer: Viewer): Html {
  return html`<details class="menu"><summary class="button small">${icon('person')}${viewer.name}</summary><div>
<a href="${accountPath(viewer.name)}">Your profile</a>
<a href="/user/settings">Settings</a>
${viewer.isAdmin ? html`<a href="/-/admin">Administration</a>` : html``}
<a href="/user/logout">Sign out</a>
</div></details>`;
}

function footer({ footerLinks }: PageSettings, version: string): Html {
  const links = footerLinks.map(
    ({ words, address }) => html`<a href="${address}">${words}</a>
`,
  );
  return html`<footer class="site-footer"><div>
<span>Quire ${version}</span>
<a href="/-/help">Help</a>
<a href="/api/swagger">API</a>
${links}</div></footer>
`;
}
