import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { SshAddress } from '../../http/app.ts';
import { ConfigError } from '../config-error.ts';
import { hostNameOf, portOf } from './values.ts';

/** How clients get to the server over SSH. */
export interface SshSettings {
  /** of the own server; null: there is none; 0: a free one */
  readonly port: number | null;
  /** what addresses of repositories say; null: as the own server listens, at the host of the base URL */
  readonly address: SshAddress | null;
  /** whether the system's OpenSSH may use this server */
  readonly hasSocket: boolean;
  /** absolute paths of files with the public keys of authorities */
  readonly authorityFiles: readonly string[];
}

const SSH_PORT = 22;

/** @throws ConfigError */
export function sshSettingsOf({
  port,
  address,
  hasSocket,
  authorities,
}: {
  readonly port: string;
  readonly address: string;
  readonly hasSocket: boolean;
  readonly authorities: readonly string[];
}): SshSettings {
  return {
    port: port === '' ? null : portOf(port),
    address: address === '' ? null : addressOf(address),
    hasSocket,
    authorityFiles: authorities.map((file) => resolve(file)),
  };
}

/** Parses `HOST` or `HOST:PORT`. An IPv6 address with a port is in brackets. */
function addressOf(text: string): SshAddress {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  const host = bracketed ?? (plain || text);
  if (isIP(host) === 6) return { host: `[${host}]`, port: publicPortOf(port) };
  if (bracketed !== undefined || plain === undefined || plain === '') throw malformed(text);
  return { host: isIP(plain) === 4 ? plain : nameOf(plain, text), port: publicPortOf(port) };
}

function nameOf(host: string, text: string): string {
  try {
    return hostNameOf(host);
  } catch {
    throw malformed(text);
  }
}

function publicPortOf(text: string | undefined): number {
  const port = text === undefined ? SSH_PORT : portOf(text);
  if (port === 0) throw new ConfigError('the port of the SSH address must not be 0');
  return port;
}

function malformed(text: string): ConfigError {
  return new ConfigError(`the SSH address must be HOST or HOST:PORT, not ${text}`);
}
