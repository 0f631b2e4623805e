import { ForgeError } from '../../base/core/failure.ts';
import type { ProxyUser } from './proxy-users.ts';

/** The credentials of a request. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'basic'; readonly login: string; readonly password: string }
  | { readonly kind: 'session'; readonly secret: string }
  /** A trusted proxy names the user. */
  | { readonly kind: 'proxy'; readonly user: ProxyUser };

const AUTHORIZATION = /^([A-Za-z]+) +(\S(?:.*\S)?) *$/;
/** RFC 7617 requires standard base64. Some clients send the URL-safe form. */
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * Returns the error for all wrong credentials. It never states which part is wrong, so that strangers learn nothing.
 */
export function wrongCredentials(): ForgeError {
  return new ForgeError({ kind: 'unauthenticated', what: 'invalid user name, password or token' });
}

/** Returns the error for every password on a server that takes none, whether it is right or not. */
export function passwordsAreOff(): ForgeError {
  const what = 'this server takes no passwords: use an access token that is valid, or sign in with a browser';
  return new ForgeError({ kind: 'unauthenticated', what, reason: 'passwords-off' });
}

/**
 * Reads an `Authorization` header.
 *
 * @throws ForgeError `unauthenticated` if it is malformed
 * @see RFC 7617 for Basic; `token` and `Bearer` carry a token
 */
export function readAuthorization(header: string | undefined): Credentials {
  if (header === undefined) return { kind: 'none' };
  const [, scheme = '', value = ''] = AUTHORIZATION.exec(header) ?? [];
  switch (scheme.toLowerCase()) {
    case 'basic':
      return readBasic(value);
    case 'token':
    case 'bearer':
      return { kind: 'token', token: value };
    default:
      throw wrongCredentials();
  }
}

function readBasic(value: string): Credentials {
  const text = BASE64.test(value) ? Buffer.from(value, 'base64').toString('utf8') : '';
  const colon = text.indexOf(':');
  if (colon === -1) throw wrongCredentials();
  // Some clients send this before their user has signed in.
  if (text === ':') return { kind: 'none' };
  return { kind: 'basic', login: text.slice(0, colon), password: text.slice(colon + 1) };
}
