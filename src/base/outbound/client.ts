import { isIP } from 'node:net';
import { hostOf } from './addresses.ts';
import { exchange } from './exchange.ts';
import { OUTBOUND_LIMITS } from './limits.ts';
import {
  isStreamed,
  OutboundError,
  type OutboundRequest,
  type OutboundResponse,
  type ResolveHost,
} from './model.ts';
import { MachineResolver } from './resolver.ts';
import { isAddressAllowed, isPortAllowed, type OutboundSettings } from './rules.ts';

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/**
 * Sends all requests of this server to other servers. It resolves each name itself, checks every address of the answer,
 * and connects to an address that it has checked, so that no second answer of the name can lead elsewhere.
 */
export class OutboundClient {
  readonly #settings: OutboundSettings;
  readonly #resolve: ResolveHost;

  /** @param dependencies.resolve absent: the resolver of the machine */
  constructor(dependencies: { settings: OutboundSettings; resolve?: ResolveHost | undefined }) {
    this.#settings = dependencies.settings;
    const machine = new MachineResolver();
    this.#resolve = dependencies.resolve ?? ((host) => machine.resolve(host));
  }

  /**
   * Checks that requests may be sent to an address now. Each request checks it again.
   *
   * @throws OutboundError `denied`, `unknown-host`, `timeout`; the reason of the signal
   */
  async requireAllowed(url: URL, signal?: AbortSignal): Promise<void> {
    await this.#addressesOf({ url, signal });
  }

  /**
   * Sends a request, and follows redirects after it has checked their targets in the same way. A redirect to another
   * origin gets no credential, and one from https to http is an error.
   *
   * @throws OutboundError; the reason of the signal
   */
  async send(request: OutboundRequest): Promise<OutboundResponse> {
    const endsAt = performance.now() + request.deadlineMs;
    let current = request;
    for (let redirects = 0; ; redirects += 1) {
      const deadlineMs = Math.max(1, endsAt - performance.now());
      const response = await this.#sendOnce({ ...current, deadlineMs });
      const target = targetOf(response, request.method);
      if (target === undefined) return response;
      response.end();
      if (isStreamed(request.body))
        throw badRedirect('the server redirects a request that cannot be sent again');
      if (redirects === (request.redirectsMax ?? OUTBOUND_LIMITS.outboundRedirectsMax))
        throw badRedirect('the server redirects too often');
      const url = checkedTarget(target, response.url);
      const isSameOrigin = url.origin === current.url.origin;
      current = { ...current, url, authorization: isSameOrigin ? current.authorization : undefined };
    }
  }

  /** Connects to the addresses of the host in turn, until one accepts the connection. */
  async #sendOnce(request: OutboundRequest): Promise<OutboundResponse> {
    const addresses = await this.#addressesOf(request);
    let failure: unknown;
    for (const address of addresses.slice(0, OUTBOUND_LIMITS.outboundAddressesTriedMax)) {
      try {
        return await exchange(request, address);
      } catch (error) {
        if (!(error instanceof OutboundError) || error.failure !== 'unreachable') throw error;
        failure = error;
      }
    }
    throw failure;
  }

  /** @throws OutboundError `denied` if even one of the addresses is not allowed, `unknown-host`, `timeout` */
  async #addressesOf({ url, signal }: Pick<OutboundRequest, 'url' | 'signal'>): Promise<readonly string[]> {
    const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : Number(url.port);
    if (port === undefined || !isPortAllowed(this.#settings, port))
      throw new OutboundError('denied', 'this site does not connect to this port');
    const host = hostOf(url);
    const addresses = isIP(host) === 0 ? await this.#resolved(host, signal) : [host];
    const isDenied = addresses.some((address) => !isAddressAllowed(this.#settings, host, address));
    if (isDenied) throw new OutboundError('denied', 'this site does not connect to this host');
    return addresses;
  }

  async #resolved(host: string, signal: AbortSignal | undefined): Promise<readonly string[]> {
    const addresses = await inTime(this.#resolve(host), signal).catch((cause: unknown) => {
      if (cause instanceof OutboundError || signal?.aborted === true) throw cause;
      throw unknownHost(cause);
    });
    if (addresses.length === 0) throw unknownHost();
    if (addresses.length > OUTBOUND_LIMITS.outboundAddressesMax)
      throw new OutboundError('denied', 'the host has too many addresses');
    return addresses;
  }
}

/** A resolver cannot be stopped, so its answer is ignored after the limit. */
async function inTime<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  signal?.throwIfAborted();
  const { promise: early, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal?.reason);
  const late = () => reject(new OutboundError('timeout', 'the name of the host was not resolved in time'));
  const timer = setTimeout(late, OUTBOUND_LIMITS.outboundConnectMs);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, early]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** Returns the target of a redirect that the request may follow: a body is sent again only if the status says so. */
function targetOf({ status, header }: OutboundResponse, method: string): string | undefined {
  const followed = method === 'GET' ? [301, 302, 303, 307, 308] : [307, 308];
  return followed.includes(status) ? (header('location') ?? '') : undefined;
}

function checkedTarget(location: string, from: URL): URL {
  const url = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  if (location === '' || url === undefined || !/^https?:$/.test(url.protocol))
    throw badRedirect('the server redirects to an address that is not http or https');
  if (from.protocol === 'https:' && url.protocol === 'http:')
    throw badRedirect('the server redirects from https to http');
  url.username = '';
  url.password = '';
  return url;
}

function badRedirect(message: string): OutboundError {
  return new OutboundError('redirect', message);
}

function unknownHost(cause?: unknown): OutboundError {
  return new OutboundError('unknown-host', 'the host has no address', { cause });
}
