import { ForgeError } from '../core/failure.ts';

/** What a request brings to say who it is from. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'basic'; readonly login: string; readonly password: string };

const AUTHORIZATION = /^([A-Za-z]+) +(\S(?:.*\S)?) *$/;
/** RFC 7617 wants standard base64; some clients send the one for URLs. */
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Told for every reason alike: what exactly is wrong is nothing that a stranger should learn. */
export function wrongCredentials(): ForgeError {
  return new ForgeError({ kind: 'unauthenticated', what: 'invalid user name, password or token' });
}

/**
 * Reads an `Authorization` header.
 *
 * @throws ForgeError `unauthenticated` for one that cannot be read
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
  return { kind: 'basic', login: text.slice(0, colon), password: text.slice(colon + 1) };
}
