import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Type } from 'typebox';
import { SERVER } from '../access/actions.ts';
import { notFound } from '../core/failure.ts';
import type { Addresses, App } from '../http/app.ts';
import { html } from './html.ts';
import { PAGE_POLICY, STYLE } from './page.ts';

const config = { action: SERVER.describe };
/** The page of the API runs scripts of this server. */
const API_PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

/** Registers the start page, which shows how to clone, how to get a token, and where the API is. */
export function homeRoutes(
  app: App,
  { addresses, version }: { addresses: Addresses; version: string },
): void {
  app.get('/', { config }, async (_request, reply) => {
    reply.type('text/html; charset=utf-8').header('content-security-policy', PAGE_POLICY);
    return homePage(addresses, version);
  });
}

function homePage({ baseUrl, apiRoot }: Addresses, version: string): string {
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
<p>This server hosts git repositories and notes. It speaks the Gitea/Forgejo API, git over HTTP and the Nextcloud Notes API. Its other pages only show accounts, repositories, files and commits.</p>
<h2>Clone and push</h2>
<pre>git clone ${baseUrl}/OWNER/REPOSITORY.git</pre>
<p>git asks for your name and your password. You can enter a token instead of the password.</p>
<h2>Create a token and a repository</h2>
<pre>curl -u NAME -H 'Content-Type: application/json' \\
  -d '{"name":"laptop","scopes":["write:repository","write:user"]}' \\
  ${apiRoot}/users/NAME/tokens

curl -H 'Authorization: token TOKEN' -H 'Content-Type: application/json' \\
  -d '{"name":"hello","auto_init":true}' ${apiRoot}/user/repos</pre>
<h2>More</h2>
<ul>
<li><a href="/api/swagger">Try the API</a> (<a href="/swagger.v1.json">OpenAPI document</a>)</li>
<li><a href="/api/healthz">Health</a>, <a href="/metrics">metrics</a></li>
</ul>
</body>
</html>
`;
  return page.html;
}

const UI_FILES: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
]);
const UI_FOLDER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const API_PAGE = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Quire API</title>
<link rel="stylesheet" href="/api/swagger/swagger-ui.css">
</head>
<body>
<div id="ui"></div>
<script src="/api/swagger/swagger-ui-bundle.js"></script>
<script src="/api/swagger/start.js"></script>
</body>
</html>
`.html;

const START_SCRIPT = `SwaggerUIBundle({ url: '/swagger.v1.json', dom_id: '#ui' });\n`;

/** Registers the OpenAPI document, and a page to try the API. */
export function apiPageRoutes(app: App): void {
  app.get('/swagger.v1.json', { config }, async () => app.swagger());

  app.get('/api/swagger', { config }, async (_request, reply) => {
    reply.type('text/html; charset=utf-8').header('content-security-policy', API_PAGE_POLICY);
    return API_PAGE;
  });

  const Params = Type.Object({ file: Type.String() });
  app.get('/api/swagger/:file', { config, schema: { params: Params } }, async (request, reply) => {
    const { file } = request.params;
    if (file === 'start.js') return reply.type('text/javascript; charset=utf-8').send(START_SCRIPT);
    const type = UI_FILES.get(file);
    if (type === undefined) throw notFound('file');
    reply.type(type).header('cache-control', 'public, max-age=86400');
    return reply.send(await readFile(join(UI_FOLDER, file)));
  });
}
