import type { FastifyRequest } from 'fastify';
import type { Viewer } from '../access/viewer.ts';
import type { App } from '../http/app.ts';
import type { Authentication } from './service.ts';

/**
 * Sets `request.viewer` for every request on `app` and below, before the body is read. Rejects wrong credentials on
 * public routes, too.
 */
export function authenticateRequests(app: App, authentication: Authentication): void {
  app.decorateRequest('viewer', null as unknown as Viewer);
  app.addHook('onRequest', async (request) => {
    request.viewer = await authentication.authenticate({
      authorization: request.headers.authorization,
      sudo: sudoOf(request),
      address: request.ip,
    });
    request.caller.identify(request.viewer.accountId);
  });
  app.addHook('onClose', () => authentication.settle());
}

/** Returns the account to act as. Only the forge API lets administrators act as other accounts. */
function sudoOf(request: FastifyRequest): string | undefined {
  if (request.routeOptions.config.wire !== 'gitea') return undefined;
  const { sudo } = request.query as { sudo?: string | string[] };
  const [parameter] = Array.isArray(sudo) ? sudo : [sudo];
  const header = request.headers.sudo;
  return parameter !== undefined && parameter !== '' ? parameter : Array.isArray(header) ? header[0] : header;
}
