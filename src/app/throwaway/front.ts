import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Addresses } from '../../http/app.ts';
import { Hosts } from '../../http/hosts.ts';
import { CONNECTION_OPTIONS } from '../../http/server.ts';
import { isFromAnotherSite } from '../../people/authentication/cross-site.ts';
import type { Instance } from './instance.ts';

const HOST = '127.0.0.1';
/** As in the servers behind it: longer than the clients' own. */
const KEEP_ALIVE_MS = 72_000;

interface Dependencies {
  /** answers requests for test routes; false for any other request */
  readonly control: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** The port of a throwaway server. It stays open while the servers behind it change. */
export class Front {
  readonly addresses = { baseUrl: '', apiRoot: '' };
  readonly #server: Server;
  readonly #hosts: Hosts;
  #instance: Instance | undefined;
  #lastRequestAt = 0;

  constructor({ control }: Dependencies) {
    this.#hosts = new Hosts(this.addresses, []);
    this.#server = createServer(CONNECTION_OPTIONS);
    this.#server.keepAliveTimeout = KEEP_ALIVE_MS;
    this.#server.requestTimeout = 0;
    for (const event of ['request', 'checkContinue'] as const)
      this.#server.on(event, (request: IncomingMessage, response: ServerResponse) => {
        this.#lastRequestAt = performance.now();
        if (!control(request, response)) this.#instance?.handle(event, request, response);
      });
    this.#server.on('clientError', (error, socket) => this.#instance?.refuse(error, socket));
  }

  /** @returns its address: `http://127.0.0.1:PORT` */
  async listen(baseUrl: string | null): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen({ port: 0, host: HOST, backlog: 1024 }, resolve);
    await promise;
    this.#server.off('error', reject);
    const url = `http://${HOST}:${(this.#server.address() as AddressInfo).port}`;
    this.addresses.baseUrl = baseUrl ?? url;
    this.addresses.apiRoot = `${this.addresses.baseUrl}/api/v1`;
    return url;
  }

  /** Sends all requests from now on to this server. */
  lead(instance: Instance): void {
    this.#instance = instance;
  }

  /** ms since a request arrived */
  get restMs(): number {
    return performance.now() - this.#lastRequestAt;
  }

  /**
   * Whether a page of another site cannot have sent the request: DNS leads any name to this machine, and any page may send
   * forms to it.
   */
  serves(request: IncomingMessage): boolean {
    const isOfAnotherSite = isFromAnotherSite(request, this.addresses.baseUrl);
    return !isOfAnotherSite && this.#hosts.problemOf(request, request.url ?? '/') === undefined;
  }

  /** Closes the port and all connections, at once. */
  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }
}

/** Copies the addresses, which features remember. */
export function copyOf({ baseUrl, apiRoot }: Addresses): Addresses {
  return { baseUrl, apiRoot };
}
