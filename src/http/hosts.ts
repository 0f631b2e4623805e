import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import { ForgeError } from '../base/core/failure.ts';
import type { Addresses } from './app.ts';

/** A name or an address, an IPv6 address in brackets, and perhaps a port: RFC 9110, section 7.2. */
const HOST = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::\d{0,5})?$/;

/**
 * The hosts that requests may name. The owner of any other name could let it lead to this server (DNS rebinding), and a
 * browser would then take a page of that owner for a page of this server. No owner of a name decides where an IP address
 * or `localhost` leads.
 */
export class Hosts {
  readonly #addresses: Addresses;
  readonly #allowed: readonly string[];
  /** of the base URL with which they were made: the server knows it only when it listens */
  #names: { readonly baseUrl: string; readonly all: ReadonlySet<string> } | undefined;

  /** @param allowed names of the setting, in lower case */
  constructor(addresses: Addresses, allowed: readonly string[]) {
    this.#addresses = addresses;
    this.#allowed = allowed;
  }

  /**
   * Returns why a request is rejected for the host that it names; undefined if it is served. Headers that proxies add do
   * not count.
   *
   * @param target as it was sent
   */
  problemOf(request: IncomingMessage, target: string): ForgeError | undefined {
    const { host } = request.headers;
    // Only HTTP/1.0 has requests without this header. Health checks send them, and browsers do not.
    if (host !== undefined && !this.#serves(host)) return this.#misdirected();
    if (namesSeveralHosts(request))
      return new ForgeError({ kind: 'bad_request', what: 'send one header Host' });
    const inTarget = hostInTarget(target);
    return inTarget === undefined || this.#serves(inTarget) ? undefined : this.#misdirected();
  }

  #serves(text: string): boolean {
    const [, inBrackets, plain = ''] = HOST.exec(text) ?? [];
    if (inBrackets !== undefined) return isIPv6(inBrackets);
    const name = plain.toLowerCase();
    return this.#namesNow().has(name.endsWith('.') ? name.slice(0, -1) : name) || isIPv4(name);
  }

  #namesNow(): ReadonlySet<string> {
    const { baseUrl } = this.#addresses;
    if (this.#names?.baseUrl !== baseUrl) {
      const own = URL.parse(baseUrl)?.hostname.replace(/\.$/, '');
      this.#names = { baseUrl, all: new Set(['localhost', ...this.#allowed, ...(own ? [own] : [])]) };
    }
    return this.#names.all;
  }

  #misdirected(): ForgeError {
    const what = `this server does not answer at this host: open ${this.#addresses.baseUrl}, or add the host to the setting --allowed-hosts (QUIRE_ALLOWED_HOSTS)`;
    return new ForgeError({ kind: 'misdirected', what });
  }
}

/** Node keeps only the first one. */
function namesSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

/** Returns the host of a target that is a whole address (RFC 9112, section 3.2.2); undefined for a path. */
function hostInTarget(target: string): string | undefined {
  return target.startsWith('/') ? undefined : WHOLE_ADDRESS.exec(target)?.[1];
}

const WHOLE_ADDRESS = /^https?:\/\/([^/?]*)/i;
