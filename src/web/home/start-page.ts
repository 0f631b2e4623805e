import { ANONYMOUS, isSignedIn, type Viewer } from '../../api/access/viewer.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses } from '../../http/app.ts';
import { SIGN_IN_PATH } from '../../http/errors/web.ts';
import { SIGN_UP_PATH } from '../../http/pages/link-paths.ts';
import type { Page } from '../../http/pages/page.ts';
import type { SignUp } from '../../people/sign-up/service.ts';
import { WEB_LIMITS } from '../limits.ts';
import { emptyHtml } from '../parts/lists.ts';
import { repositoryRows } from '../parts/repository-rows.ts';

export interface StartPageTools {
  readonly repositories: Repositories;
  readonly signUp: Pick<SignUp, 'isOpen'>;
  readonly addresses: Addresses;
}

const NEWEST = { onlyOpenToAll: true, order: { by: 'creation', isDescending: true } } as const;

/** What this server is, for those who have not signed in. It lists only what everyone sees. */
export async function startPage(
  viewer: Viewer,
  { repositories, signUp, addresses }: StartPageTools,
): Promise<Page> {
  const paging = { page: 1, limit: WEB_LIMITS.startRepositoriesMax };
  const { items, total } = await repositories.lists.select(ANONYMOUS, NEWEST, paging);
  const more =
    total > items.length
      ? html`<p><a href="/explore/repos?sort=newest">All ${total.toLocaleString('en-US')} public repositories</a></p>`
      : html``;
  return {
    title: 'Quire',
    body: html`<div class="stack loose">
<section class="welcome stack">
<h1>Your code and your notes, in plain git</h1>
<p class="prose">This server hosts git repositories with issues, pull requests, wikis and releases. It also keeps your notes, each as a file that you own.</p>
<p class="row">${isSignedIn(viewer) ? html`<span>Signed in as <strong>${viewer.name}</strong></span>` : signInLinks(signUp)}</p>
</section>
<div class="columns"><section class="stack">
<h2>Newest public repositories</h2>
${items.length === 0 ? emptyHtml('No public repository yet', 'Sign in to create the first one.') : repositoryRows(items)}
${more}</section>
<aside class="stack" aria-label="Clone">
<h2>Clone a repository</h2>
<pre>git clone ${addresses.baseUrl}/OWNER/REPOSITORY.git</pre>
<p><a href="/-/help">How to push, how to get a token, and the API</a></p>
</aside></div>
</div>`,
  };
}

function signInLinks({ isOpen }: Pick<SignUp, 'isOpen'>): Html {
  const signUp = isOpen ? html`<a class="button" href="${SIGN_UP_PATH}">Create an account</a>` : html``;
  return html`<a class="button primary" href="${SIGN_IN_PATH}">Sign in</a>${signUp}<a class="button" href="/explore/repos">Explore</a>`;
}
