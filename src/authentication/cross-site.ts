import type { FastifyRequest } from 'fastify';
import { forbidden } from '../core/failure.ts';
import type { Addresses } from '../http/app.ts';
import type { Credentials } from './credentials.ts';

/** Methods that change nothing. */
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
  if (credentials.kind !== 'basic' || SAFE.has(request.method)) return;
  if (isFromAnotherSite(request, baseUrl))
    throw forbidden('a page of another site may change nothing with your password');
}

/**
 * Whether a page of another site has made a browser send a request.
 *
 * @see https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site: `none` means that the user
 *   made the request, and `same-site` is another host, which may belong to another person
 */
export function isFromAnotherSite({ headers, host }: FastifyRequest, baseUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = headers;
  if (origin === undefined) return false;
  // `null` is the origin of sandboxed pages and of local files.
  if (!URL.canParse(origin)) return true;
  const sent = new URL(origin);
  // Older browsers send only Origin. Its scheme is not compared with that of the request, which a proxy may change.
  return sent.origin !== new URL(baseUrl).origin && sent.host !== host;
}
