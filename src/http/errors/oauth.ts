import type { Failure } from '../../base/core/failure.ts';
import type { Wire } from './wire.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The header `Authorization` has the id and the secret of a program, which the route itself checks. */
    authenticatesClient?: true;
  }
}

/**
 * Errors of OAuth2.
 *
 * @see RFC 6749, section 5.2, for clients; RFC 6750, section 3, for requests with an access token
 */
export const OAUTH_WIRE: Wire = {
  name: 'oauth',
  statusOf: ({ kind }) => (kind === 'unsupported_media_type' || kind === 'invalid' ? 400 : undefined),
  send(reply, failure) {
    const isOfClient = reply.request.routeOptions.config.authenticatesClient === true;
    const error = codeOf(failure, isOfClient);
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
    if (reply.statusCode === 401 || error === 'insufficient_scope')
      reply.header(
        'www-authenticate',
        isOfClient ? 'Basic realm="Quire"' : `Bearer realm="Quire", error="${error}"`,
      );
    return reply.send({ error, error_description: describe(failure.what) });
  },
  sendFault: (reply) =>
    reply
      .header('cache-control', 'no-store')
      .send({ error: 'server_error', error_description: 'internal server error' }),
};

function codeOf(failure: Failure, isOfClient: boolean): string {
  switch (failure.kind) {
    case 'bad_request':
      return failure.oauth ?? 'invalid_request';
    case 'unauthenticated':
      return isOfClient ? 'invalid_client' : 'invalid_token';
    case 'forbidden':
      return isOfClient ? 'unauthorized_client' : 'insufficient_scope';
    case 'busy':
    case 'too_many_attempts':
      return 'temporarily_unavailable';
    default:
      return 'invalid_request';
  }
}

/** Descriptions have only visible ASCII, without quotes and backslashes. */
function describe(what: string): string {
  return what.replaceAll(/[^ !#-[\]-~]/g, '?');
}
