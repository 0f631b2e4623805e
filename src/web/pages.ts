import { SERVER } from '../api/access/actions.ts';
import { isSignedIn, type Viewer } from '../api/access/viewer.ts';
import { type Html, html } from '../base/core/text/html.ts';
import { sshAddressOf } from '../hosting/repositories/present.ts';
import type { Addresses, App } from '../http/app.ts';
import { SIGN_IN_PATH } from '../http/errors/web.ts';
import { localAddress } from '../http/pages/local-address.ts';
import { PAGE_POLICY, STYLE } from '../http/pages/page.ts';

const config = { action: SERVER.describe };
/** Registers the start page, which shows how to clone, how to get a token, and where the API is. */
export function homeRoutes(
  app: App,
  { addresses, version }: { addresses: Addresses; version: string },
): void {
  app.get('/', { config }, async (request, reply) => {
    reply.type('text/html; charset=utf-8').header('content-security-policy', PAGE_POLICY);
    return homePage(addresses, version, signInHtml(request.viewer, addresses));
  });
}

/** Leads to the sign-in, or names who has signed in. */
function signInHtml(viewer: Viewer, addresses: Addresses): Html {
  const to = (path: string) => localAddress(path, addresses);
  if (!isSignedIn(viewer)) return html`<p><a href="${to(SIGN_IN_PATH)}">Sign in</a></p>`;
  return html`<p>Signed in as <strong>${viewer.name}</strong> · <a href="${to('/user/settings')}">Settings</a> · <a href="${to('/user/logout')}">Sign out</a></p>`;
}

function homePage(addresses: Addresses, version: string, signIn: Html): string {
  const { baseUrl, apiRoot } = addresses;
  const overSsh = sshAddressOf('OWNER/REPOSITORY.git', addresses);
  const sshPart = html`
<p>If you have added your SSH key to your account, this works, too:</p>
<pre>git clone ${overSsh}</pre>`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Quire</title>
${STYLE}
</head>
<body>
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
</body>
</html>
`;
  return page.html;
}
