import { OAUTH_LIMITS } from './limits.ts';
import type { OAuthApplication } from './model.ts';

/** A scheme of a program's own contains a period, so that no browser knows it: RFC 8252, section 7.1. */
const OWN_SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/;
/** Visible ASCII without characters that browsers, servers and people read differently. */
const PLAIN = /^[!-~]+$/;
const AMBIGUOUS = /[\\"'<>^`{|}*#]/;

/**
 * Returns why an address cannot be a redirect address; undefined if it can. It must be written as a browser writes it, so
 * that a comparison of texts is one of addresses.
 */
export function problemOfRedirectUri(text: string): string | undefined {
  if (text.length > OAUTH_LIMITS.redirectUriCharsMax)
    return `must have at most ${OAUTH_LIMITS.redirectUriCharsMax} characters`;
  if (text.includes('*')) return 'must not have a wildcard';
  if (text.includes('#')) return 'must not have a fragment';
  if (!PLAIN.test(text) || AMBIGUOUS.test(text) || !URL.canParse(text)) return 'must be a whole address';
  const url = new URL(text);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  if (!isWeb && !OWN_SCHEME.test(url.protocol))
    return 'must begin with https://, http://, or a scheme of the program that contains a period';
  if (url.username !== '' || url.password !== '') return 'must not have a user or a password';
  return isWritten(text, url) ? undefined : `must be written as ${url.href}`;
}

/** Whether an address is written in the only form that `URL` writes. The slash after a host may be missing. */
function isWritten(text: string, { href }: URL): boolean {
  return href === text || href === `${text}/`;
}

/** Whether an application may get answers at an address. */
export function isRedirectUriOf(
  { redirectUris, isConfidential }: Pick<OAuthApplication, 'redirectUris' | 'isConfidential'>,
  sent: string,
): boolean {
  if (redirectUris.includes(sent)) return true;
  if (isConfidential || problemOfRedirectUri(sent) !== undefined) return false;
  const wanted = withoutLoopbackPort(sent);
  return wanted !== undefined && redirectUris.some((each) => withoutLoopbackPort(each) === wanted);
}

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/;

/**
 * Returns an address on the machine of its user without the port, which a program picks when it starts: RFC 8252, section
 * 7.3. Undefined for other addresses.
 */
function withoutLoopbackPort(text: string): string | undefined {
  const url = new URL(text);
  if (url.protocol !== 'http:' || !LOOPBACK.test(url.hostname)) return undefined;
  url.port = '';
  return url.href;
}
