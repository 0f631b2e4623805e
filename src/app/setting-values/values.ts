import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { withoutEndSlashes } from '../../base/core/text/text.ts';
import { ConfigError } from '../config-error.ts';

export function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65535)
    throw new ConfigError(`the port must be 0 to 65535, not ${text}`);
  return port;
}

export function baseUrlOf(text: string): string | null {
  if (text === '') return null;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(`the base URL must be an http or https address, not ${text}`);
  }
  if (url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new ConfigError('the base URL must not contain a user, a query or a fragment');
  }
  return withoutEndSlashes(url.href);
}

const HOST_NAME = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/;

/** Returns the name of a host as browsers send it: in lower case and ASCII, without a dot at its end. */
export function hostNameOf(text: string): string {
  // `domainToASCII` takes the start of an address, too.
  const name = /[/?#\\]/.test(text) ? '' : domainToASCII(text).replace(/\.$/, '');
  if (HOST_NAME.test(name)) return name;
  throw new ConfigError(
    `an allowed host must be a name without scheme, port and wildcard, such as quire.example.org, not ${text}`,
  );
}

/** Returns an address that the server accepts, with a name instead of the number of a host. */
export function defaultEmail(name: string, baseUrl: string | null): string {
  const host = baseUrl === null ? '' : new URL(baseUrl).hostname;
  return `${name}@${host === '' || host.startsWith('[') || isIP(host) !== 0 ? 'localhost' : host}`;
}

export function databaseUrlOf(text: string): string | null {
  if (text === '') return null;
  if (/^postgres(?:ql)?:\/\//.test(text)) return text;
  throw new ConfigError(
    'the database URL must begin with postgres:// (leave it out to use the embedded database)',
  );
}

/** Splits a comma-separated list. */
export function listOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
