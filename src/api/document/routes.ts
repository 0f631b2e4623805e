import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { notFound } from '../../base/core/failure.ts';
import { packageFolder } from '../../base/core/native/packages.ts';
import { html } from '../../base/core/text/html.ts';
import type { App } from '../../http/app.ts';
import { SERVER } from '../access/actions.ts';
import type { ApiDescription } from './openapi.ts';
import { UI_FILES } from './ui-files.ts';

const config = { action: SERVER.describe };
/** The page of the API runs scripts of this server. */
const API_PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

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

/**
 * An operation that anonymous callers may use takes credentials, too. The page sends them if there are any, but it shows
 * no lock at the operation.
 */
const START_SCRIPT = `
const withoutLock = () => ({
  wrapComponents: {
    OperationSummary: (Original, { React }) => (props) => {
      const security = props.operationProps.get('security');
      const isOptional = security?.some((each) => each.isEmpty());
      const operationProps = isOptional ? props.operationProps.set('security', security.clear()) : props.operationProps;
      return React.createElement(Original, { ...props, operationProps });
    },
  },
});
SwaggerUIBundle({ url: '/api/v1/openapi.json', dom_id: '#ui', plugins: [withoutLock] });
`;

/** Registers the description of the API in both formats, and a page to try the API. */
export function apiPageRoutes(app: App, description: ApiDescription): void {
  app.get('/swagger.v1.json', { config }, async () => description.swagger2());
  app.get('/api/v1/openapi.json', { config, schema: { hide: true } }, async () => description.openApi());

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
    return reply.send(await readFile(join(packageFolder('swagger-ui-dist'), file)));
  });
}
