import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { SERVER } from '../../api/access/actions.ts';
import { isSignedIn } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import type { Addresses, App } from '../../http/app.ts';
import { avatarAddress } from '../../people/accounts/present.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { PLATFORM } from '../notebooks/model.ts';
import { APP_PASSWORD } from './actions.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly addresses: Addresses;
}

/** The routes of the server status, of pictures of users, and of the connection test. */
export function platformStatusRoutes(app: App, { accounts, addresses }: Dependencies): void {
  const { major, minor, micro } = PLATFORM;
  const status = {
    installed: true,
    maintenance: false,
    needsDbUpgrade: false,
    version: `${major}.${minor}.${micro}.0`,
    versionstring: `${major}.${minor}.${micro}`,
    edition: '',
    productname: 'Quire',
    extendedSupport: false,
  };
  app.get('/status.php', { config: { action: SERVER.describe } }, async (_request, reply) =>
    reply
      .headers({ 'access-control-allow-origin': '*', 'cache-control': 'no-store' })
      .type('application/json; charset=utf-8')
      .send(status),
  );

  const params = Type.Object({ user: Type.String(), size: Type.String() });
  for (const prefix of ['/index.php', '']) {
    app.get(
      `${prefix}/avatar/:user/:size`,
      { config: { action: SERVER.describe }, schema: { params } },
      async (request, reply) => {
        const account = await accounts.getByName(request.viewer, request.params.user);
        return reply.redirect(avatarAddress(account, addresses), 302);
      },
    );
  }
  connectionTest(app);
}

/** Adds the connection test: some clients request the properties of the user's folder, although they read no file. */
function connectionTest(app: App): void {
  app.addHttpMethod('PROPFIND', { hasBody: true });
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const { viewer, params } = request;
    const { user = viewer.name } = params as { user?: string };
    if (!isSignedIn(viewer) || user.toLowerCase() !== viewer.name.toLowerCase()) throw notFound('folder');
    const [path = ''] = request.url.split('?');
    return reply
      .code(207)
      .headers({ dav: '1', 'cache-control': 'no-store' })
      .type('application/xml; charset=utf-8')
      .send(multistatus(path.endsWith('/') ? path : `${path}/`));
  };
  app.addContentTypeParser(['application/xml', 'text/xml'], { parseAs: 'string' }, async () => undefined);
  for (const url of [
    '/remote.php/webdav',
    '/remote.php/webdav/',
    '/remote.php/dav/files/:user',
    '/remote.php/dav/files/:user/',
  ])
    app.route({ method: 'PROPFIND', url, config: { action: APP_PASSWORD.readOwn }, handler: answer });
}

/** @see RFC 4918, 9.1 */
function multistatus(path: string): string {
  const href = path.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<?xml version="1.0"?>
<d:multistatus xmlns:d="DAV:"><d:response><d:href>${href}</d:href><d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>
`;
}
