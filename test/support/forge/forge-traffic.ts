import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** The page where clients start to sign in. Each network may do so a number of times. */
const COUNTED_PATH = /^\/index\.php\/login\/v2\/?$/;
const UNAUTHENTICATED = 401;
/** too many requests, and busy */
const LIMITED = [429, 503];

/** The requests that a server gets, and whether they have left something in its memory that affects later ones. */
export class ForgeTraffic {
  readonly #server: Server;
  #running = 0;
  #hasLeftTraces = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => {
      this.#running += 1;
      response.once('close', () => {
        this.#running -= 1;
        this.#hasLeftTraces ||= leavesTraces(request, response);
      });
    });
  }

  get hasLeftTraces(): boolean {
    return this.#hasLeftTraces;
  }

  /** Whether no client is connected. */
  async isQuiet(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#server.getConnections((_, count) => resolve(count));
    return (await promise) === 0 && this.#running === 0;
  }
}

function leavesTraces(request: IncomingMessage, response: ServerResponse): boolean {
  // Its handler may go on.
  if (!response.writableFinished) return true;
  // A wrong password counts.
  if (response.statusCode === UNAUTHENTICATED) return /^basic /i.test(request.headers.authorization ?? '');
  return LIMITED.includes(response.statusCode) || COUNTED_PATH.test(request.url ?? '');
}
