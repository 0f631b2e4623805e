import type { FastifyRequest } from 'fastify';
import { forbidden } from '../../base/core/failure.ts';
import type { Addresses } from '../../http/app.ts';
import { hasFormToken } from '../sessions/cookie.ts';
import type { Credentials } from './credentials.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** a GET that changes something, as its protocol demands */
    changesByGet?: true;
    /** The route takes a form that only a page of this server may send. */
    isForm?: true;
  }
}

/** Methods that change nothing, unless the route says otherwise. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Credentials that a request has without the page that made it. */
const AMBIENT = { basic: 'password', session: 'session', proxy: 'sign-in at the proxy' } as const;

/**
 * Rejects a change that a page of another site has made a browser send. A browser adds the Basic credentials that it
 * remembers, and some browsers a cookie, to any request; but no page of another site can add a token to the header
 * `Authorization`. Programs other than browsers send none of the headers that this reads. With the cookie of a session,
 * or the header of a proxy, these headers are needed, unless a form of a page has a token instead, which `requireOwnForm` checks.
 *
 * @throws ForgeError `forbidden`
 */
export function requireOwnSite(request: FastifyRequest, { kind }: Credentials, { baseUrl }: Addresses): void {
  const { isForm, changesByGet } = request.routeOptions.config;
  const isSafe = SAFE.has(request.method) && changesByGet !== true;
  if (isSafe || kind === 'none' || kind === 'token') return;
  const site = siteOf(request, baseUrl);
  if (site === 'other')
    throw forbidden(
      `a page of another site may change nothing with your ${AMBIENT[kind]}: open this server at ${baseUrl}`,
    );
  if (site === 'unknown' && kind !== 'basic' && isForm !== true)
    throw forbidden(`only a page at ${baseUrl} may change something with the ${AMBIENT[kind]} of a browser`);
}

/**
 * Requires that a form comes from a page of this server: the browser says so, or the form has the token of its browser.
 * A program that sends credentials of its own needs neither.
 *
 * @throws ForgeError `forbidden`
 */
export function requireOwnForm(request: FastifyRequest, addresses: Addresses): void {
  if (request.headers.authorization !== undefined) return;
  const site = siteOf(request, addresses.baseUrl);
  if (site === 'own' || (site === 'unknown' && hasFormToken(request, addresses))) return;
  throw forbidden(
    `the form is not from this server, or too old: open the page again at ${addresses.baseUrl}`,
  );
}

/** Whether a page of another site has made a browser send a request. */
export function isFromAnotherSite(request: Pick<FastifyRequest, 'headers'>, baseUrl: string): boolean {
  return siteOf(request, baseUrl) === 'other';
}

/**
 * Returns which page made a browser send a request. Every other address than the base URL is another site: the header
 * `Host` does not say which page sent the request.
 *
 * @returns `unknown` for a program, and for a browser that does not say it
 * @see https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site: `none` means that the user
 *   made the request, and `same-site` is another host, which may belong to another person
 */
function siteOf({ headers }: Pick<FastifyRequest, 'headers'>, baseUrl: string): 'own' | 'other' | 'unknown' {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none' ? 'own' : 'other';
  // Older browsers send only Origin, and so does every browser to an address without TLS that is not its own machine.
  const { origin } = headers;
  if (origin === undefined) return 'unknown';
  // `null` is the origin of sandboxed pages and of local files.
  const isOwn = URL.canParse(origin) && new URL(origin).origin === new URL(baseUrl).origin;
  return isOwn ? 'own' : 'other';
}
