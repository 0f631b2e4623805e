import { isIP } from 'node:net';
import { type Network, parseNetwork } from '../../base/outbound/addresses.ts';
import type { SignInSettings } from '../../people/authentication/settings.ts';
import { ConfigError } from '../config-error.ts';

interface SignInTexts {
  readonly takesPasswords: boolean;
  readonly hasProviders: boolean;
  readonly userHeader: string;
  readonly emailHeader: string;
  readonly fullNameHeader: string;
  readonly createsAccounts: boolean;
  readonly trustedProxies: readonly string[];
}

/** RFC 9110, section 5.1 */
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** Headers with another meaning, which clients send themselves. */
const OTHER_HEADERS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'host', 'x-forwarded-for']);

/** @throws ConfigError */
export function signInSettingsOf(texts: SignInTexts): SignInSettings {
  const { takesPasswords, hasProviders, trustedProxies, createsAccounts } = texts;
  const userHeader = headerOf('proxy-user-header', texts.userHeader);
  const emailHeader = headerOf('proxy-email-header', texts.emailHeader);
  const fullNameHeader = headerOf('proxy-name-header', texts.fullNameHeader);
  if (userHeader === '' && (emailHeader !== '' || fullNameHeader !== '' || createsAccounts))
    throw new ConfigError(
      '--proxy-email-header, --proxy-name-header and --proxy-auto-create need --proxy-user-header',
    );
  if (new Set([userHeader, emailHeader, fullNameHeader].filter((name) => name !== '')).size < countOf(texts))
    throw new ConfigError('the headers of a proxy that signs users in must have different names');
  if (userHeader !== '' && trustedProxies.length === 0)
    throw new ConfigError(
      '--proxy-user-header needs --trusted-proxies: anyone could sign in as anyone with the header',
    );
  if (!takesPasswords && !hasProviders && userHeader === '')
    throw new ConfigError(
      'no one could sign in: with --local-passwords false, set --sign-in-providers or --proxy-user-header',
    );
  const peers = trustedProxies
    .map(parseNetwork)
    .filter((network): network is Network => network !== undefined);
  const headers = { userHeader, emailHeader, fullNameHeader };
  return { takesPasswords, proxy: userHeader === '' ? null : { ...headers, createsAccounts, peers } };
}

function countOf({ userHeader, emailHeader, fullNameHeader }: SignInTexts): number {
  return [userHeader, emailHeader, fullNameHeader].filter((name) => name !== '').length;
}

function headerOf(flag: string, text: string): string {
  const name = text.toLowerCase();
  if (name === '' || (HEADER.test(name) && !OTHER_HEADERS.has(name))) return name;
  throw new ConfigError(`--${flag} must be the name of a header, such as X-WEBAUTH-USER, not ${text}`);
}

/** Requires an address or a network, such as `10.0.0.0/8`. */
export function proxyOf(text: string): string {
  const [address = '', bits, ...rest] = text.split('/');
  const bitsMax = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  const isAddress = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax);
  if (bitsMax >= 0 && isAddress && rest.length === 0) return text;
  throw new ConfigError(
    `a trusted proxy must be an address or a network, such as 10.0.0.1 or 10.0.0.0/8, not ${text}`,
  );
}
