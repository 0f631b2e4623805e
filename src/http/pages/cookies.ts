import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Addresses, basePathOf } from '../app.ts';

/** A cookie of this server. Scripts never read it, and other sites send it only with links that a user follows. */
export interface OwnCookie {
  /** without the prefix that it has where the server is reached over TLS */
  readonly name: string;
  /** seconds that the browser keeps it; absent: until the browser is closed */
  readonly maxAgeSeconds?: number;
}

/**
 * Returns the whole name of a cookie. With the prefix, a browser takes it only over TLS, for the whole host and from this
 * host alone, so that another server of the domain cannot set it.
 */
function nameOf({ name }: OwnCookie, { baseUrl }: Addresses): string {
  const url = new URL(baseUrl);
  if (url.protocol !== 'https:') return name;
  return basePathOf(url) === '' ? `__Host-${name}` : `__Secure-${name}`;
}

/** Returns the value of a cookie; undefined if the request has none. */
export function readCookie(
  { headers }: Pick<FastifyRequest, 'headers'>,
  cookie: OwnCookie,
  addresses: Addresses,
): string | undefined {
  return headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[nameOf(cookie, addresses)];
}

export function setCookie(reply: FastifyReply, cookie: OwnCookie, value: string, addresses: Addresses): void {
  const url = new URL(addresses.baseUrl);
  const basePath = basePathOf(url);
  reply.header(
    'set-cookie',
    stringifySetCookie({
      name: nameOf(cookie, addresses),
      value,
      path: basePath === '' ? '/' : basePath,
      httpOnly: true,
      secure: url.protocol === 'https:',
      sameSite: 'lax',
      ...(cookie.maxAgeSeconds === undefined ? {} : { maxAge: cookie.maxAgeSeconds }),
    }),
  );
}

export function deleteCookie(reply: FastifyReply, { name }: OwnCookie, addresses: Addresses): void {
  setCookie(reply, { name, maxAgeSeconds: 0 }, '', addresses);
}
