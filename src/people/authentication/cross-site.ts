import type { FastifyRequest } from 'fastify';
import { forbidden } from '../../base/core/failure.ts';
import type { Addresses } from '../../http/app.ts';
import type { Credentials } from './credentials.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** a GET that changes something, as its protocol demands */
    changesByGet?: true;
  }
}

/** Methods that change nothing, unless the route says otherwise. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Rejects a change that a page of another site has made a browser send. A browser adds the Basic credentials that it
 * remembers to any request, but no page of another site can add a token to the header `Authorization`. Programs other
 * than browsers send none of the headers that this reads.
 *
 * @throws ForgeError `forbidden`
 */
export function requireOwnSite(
  request: FastifyRequest,
  credentials: Credentials,
  { baseUrl }: Addresses,
): void {
  const isSafe = SAFE.has(request.method) && request.routeOptions.config.changesByGet !== true;
  if (credentials.kind !== 'basic' || isSafe) return;
  if (isFromAnotherSite(request, baseUrl))
    throw forbidden(
      `a page of another site may change nothing with your password: open this server at ${baseUrl}`,
    );
}

/**
 * Whether a page of another site has made a browser send a request. Every other address than the base URL is another
 * site: the header `Host` does not say which page sent the request.
 *
 * @see https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site: `none` means that the user
 *   made the request, and `same-site` is another host, which may belong to another person
 */
export function isFromAnotherSite({ headers }: Pick<FastifyRequest, 'headers'>, baseUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  // Older browsers send only Origin, and so does every browser to an address without TLS that is not its own machine.
  const { origin } = headers;
  if (origin === undefined) return false;
  // `null` is the origin of sandboxed pages and of local files.
  return !URL.canParse(origin) || new URL(origin).origin !== new URL(baseUrl).origin;
}
