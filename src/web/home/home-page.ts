import { SERVER } from '../../api/access/actions.ts';
import { isSignedIn, type Viewer } from '../../api/access/viewer.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import { sshAddressOf } from '../../hosting/repositories/present.ts';
import type { Addresses, App } from '../../http/app.ts';
import { SIGN_IN_PATH } from '../../http/errors/web.ts';
import { sendPage } from '../../http/pages/page.ts';

const config = { action: SERVER.describe };

/** Registers the start page, which shows how to clone, how to get a token, and where the API is. */
export function homePages(app: App, { addresses, version }: { addresses: Addresses; version: string }): void {
  app.get('/', { config }, async ({ viewer }, reply) =>
    sendPage(reply, { title: 'Quire', body: homePage(addresses, version, signInHtml(viewer)) }),
  );
}

/** Leads to the sign-in, or names who has signed in. */
function signInHtml(viewer: Viewer): Html {
  if (!isSignedIn(viewer)) return html`<p><a href="${SIGN_IN_PATH}">Sign in</a></p>`;
  return html`<p>Signed in as <strong>${viewer.name}</strong> · <a href="/user/settings">Settings</a> · <a href="/user/logout">Sign out</a></p>`;
}

function homePage(addresses: Addresses, version: string, signIn: Html): Html {
  const { baseUrl, apiRoot } = addresses;
  const overSsh = sshAddressOf('OWNER/REPOSITORY.git', addresses);
  const sshPart = html`
<p>If you have added your SSH key to your account, this works, too:</p>
<pre>git clone ${overSsh}</pre>`;
  return html`<div class="stack prose">
<h1>Quire ${version}</h1>
${signIn}
<p>This server hosts git repositories and notes. It speaks the Gitea/Forgejo API, git over HTTP${overSsh === '' ? '' : ' and SSH'}, and the Nextcloud Notes API. Its pages show accounts, repositories, files, commits, comparisons, wikis, issues, pull requests and releases. After you sign in, they also change the settings of your account.</p>
<h2>Clone and push</h2>
<pre>git clone ${baseUrl}/OWNER/REPOSITORY.git</pre>
<p>git asks for your name and a password. Enter an access token. Your own password works, too, if the server takes passwords and your account has no second factor.</p>${overSsh === '' ? html`` : sshPart}
<h2>Create a token and a repository</h2>
<pre>curl -u NAME -H 'Content-Type: application/json' \\
  -d '{"name":"laptop","scopes":["write:repository","write:user"]}' \\
  ${apiRoot}/users/NAME/tokens

curl -H 'Authorization: token TOKEN' -H 'Content-Type: application/json' \\
  -d '{"name":"hello","auto_init":true}' ${apiRoot}/user/repos</pre>
<h2>More</h2>
<ul>
<li><a href="/api/swagger">Try the API</a> (<a href="/api/v1/openapi.json">OpenAPI 3.1</a>, <a href="/swagger.v1.json">Swagger 2.0</a>)</li>
<li><a href="/api/healthz">Health</a>, <a href="/metrics">metrics</a></li>
</ul>
</div>`;
}
