import { type Addresses, basePathOf } from '../app.ts';

/** Backslashes and controls change what a browser takes as the host. */
const UNSAFE = /[\\\u0000-\u0020\u007f]/;

/**
 * Returns the address on this server that a page leads back to, with the path of the base URL. Everything that could lead
 * to another server becomes the start page.
 *
 * @param sent path and query, without the path of the base URL, as anyone may have put it into a link
 */
export function localAddress(sent: string, { baseUrl }: Addresses): string {
  const base = new URL(baseUrl);
  const basePath = basePathOf(base);
  const start = `${basePath}/`;
  if (!sent.startsWith('/') || sent.startsWith('//') || UNSAFE.test(sent)) return start;
  const target = new URL(`${base.origin}${basePath}${sent}`);
  const { pathname } = target;
  // `/..//` becomes `//`, which a browser takes as the start of a host.
  const isOwn = target.origin === base.origin && pathname.startsWith(start) && !pathname.startsWith('//');
  return isOwn ? `${target.pathname}${target.search}${target.hash}` : start;
}
