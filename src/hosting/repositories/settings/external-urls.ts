import { BlockList, isIPv6 } from 'node:net';
import { invalid } from '../../../base/core/failure.ts';
import { isPlainLine } from '../../../base/core/text/text.ts';
import type { Addresses } from '../../../http/app.ts';
import { REPOSITORY_LIMITS } from '../limits.ts';

/** Required form of an address. URL parsers silently repair others: wrong or missing slashes, white space. */
const WEB_ADDRESS = /^https?:\/\/[^\s/?#\\]+[^\s\\]*$/i;
/** `localhost` and its subdomains are this machine (RFC 6761, section 6.3). */
const THIS_MACHINE = /(?:^|\.)localhost\.?$/;
const PLACEHOLDER = /\{[^{}]*\}/g;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addSubnet('0.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');
LOOPBACK.addAddress('::', 'ipv6');

/** Checks addresses of external trackers and wikis. The server shows them and never sends requests to them. */
export class ExternalUrls {
  readonly #addresses: Pick<Addresses, 'baseUrl'>;

  /** @param addresses of this server; complete once it listens */
  constructor(addresses: Pick<Addresses, 'baseUrl'>) {
    this.#addresses = addresses;
  }

  /**
   * Requires an http(s) address that is not on this machine, not below the server's own API, and has no password.
   *
   * @param field name in messages
   * @throws ForgeError `invalid`
   */
  require(field: string, text: string): void {
    const problem = this.#problemOf(text);
    if (problem !== undefined) throw invalid(`[${field}]: ${problem}`);
  }

  /**
   * Requires the same of a format with placeholders such as `{index}`. Its braces must pair up.
   *
   * @throws ForgeError `invalid`
   */
  requireFormat(field: string, text: string): void {
    this.require(field, text);
    if (/[{}]/.test(text.replace(PLACEHOLDER, ''))) throw invalid(`[${field}]: braces must pair up`);
  }

  #problemOf(text: string): string | undefined {
    if (text.length > REPOSITORY_LIMITS.externalUrlCharsMax)
      return `MaxSize(${REPOSITORY_LIMITS.externalUrlCharsMax})`;
    const url = WEB_ADDRESS.test(text) && isPlainLine(text) && URL.canParse(text) ? new URL(text) : undefined;
    // Placeholders may be in the path, never in the host.
    if (url === undefined || /[{}]/.test(url.hostname))
      return 'must be an address that begins with http:// or https://';
    if (url.username !== '' || url.password !== '') return 'must not hold a name or a password';
    if (isThisMachine(url.hostname)) return 'must not be this machine itself';
    return this.#isOwnApi(url) ? 'must not be the API of this server' : undefined;
  }

  #isOwnApi(url: URL): boolean {
    const own = new URL(this.#addresses.baseUrl);
    if (url.host !== own.host) return false;
    const root = `${own.pathname.replace(/\/$/, '')}/api`.toLowerCase();
    const path = decoded(url.pathname).replace(/\/+/g, '/').toLowerCase();
    return path === root || path.startsWith(`${root}/`);
  }
}

/** Whether a host is this machine. The parser has normalized all spellings of IPv4 addresses. */
function isThisMachine(hostname: string): boolean {
  if (THIS_MACHINE.test(hostname)) return true;
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIPv6(address)) return LOOPBACK.check(address, 'ipv6');
  return /^[\d.]+$/.test(address) && LOOPBACK.check(address.replace(/\.$/, ''), 'ipv4');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
