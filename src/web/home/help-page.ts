import { type Html, html } from '../../base/core/text/html.ts';
import { sshAddressOf } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';

/** How to clone, how to get a token, and where the API is. */
export function helpPage(addresses: Addresses, version: string): Html {
  const { baseUrl, apiRoot } = addresses;
  const overSsh = sshAddressOf('OWNER/REPOSITORY.git', addresses);
  const sshPart = html`
<p>If you have added your SSH key to your account, this works, too:</p>
<pre>git clone ${overSsh}</pre>`;
  return html`<div class="stack prose">
<h1>Help</h1>
<p>This is Quire ${version}. It hosts git repositories and notes. It speaks the Gitea/Forgejo API, git over HTTP${overSsh === '' ? '' : ' and SSH'}, and the Nextcloud Notes API.</p>
<h2>Clone and push</h2>
<pre>git clone ${baseUrl}/OWNER/REPOSITORY.git</pre>
<p>git asks for your name and a password. Enter an access token. Your own password works, too, if the server takes passwords and your account has no second factor.</p>${overSsh === '' ? html`` : sshPart}
<h2>Create a token and a repository</h2>
<p>You can do both in the browser. With the API:</p>
<pre>curl -u NAME -H 'Content-Type: application/json' \\
  -d '{"name":"laptop","scopes":["write:repository","write:user"]}' \\
  ${apiRoot}/users/NAME/tokens

curl -H 'Authorization: token TOKEN' -H 'Content-Type: application/json' \\
  -d '{"name":"hello","auto_init":true}' ${apiRoot}/user/repos</pre>
<h2>Write notes</h2>
<p>Enter <code>${baseUrl}</code> as the server in an app for Nextcloud Notes, and sign in. Each note is a file of your repository for notes.</p>
<h2>More</h2>
<ul>
<li><a href="/api/swagger">Try the API</a> (<a href="/api/v1/openapi.json">OpenAPI 3.1</a>, <a href="/swagger.v1.json">Swagger 2.0</a>)</li>
<li><a href="/api/healthz">Health</a>, <a href="/metrics">metrics</a></li>
</ul>
</div>`;
}
