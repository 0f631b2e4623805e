import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { afterTest } from '../after-test.ts';

/** What happens to a request: it reaches the server, or not, or its answer breaks off after so many bytes. */
export type Fate =
  | 'pass'
  | 'hang'
  | 'reset'
  | 500
  | 503
  | { readonly cutAfter: number }
  | { readonly silentAfter: number };

/** A proxy in front of a server that fails as the test wants. */
export class FaultyProxy {
  /** decides about each request; `count` is 1 for the first */
  fate: (request: IncomingMessage, count: number) => Fate = () => 'pass';
  count = 0;
  readonly sockets = new Set<Socket>();
  readonly #server: URL;

  constructor(server: string) {
    this.#server = new URL(server);
  }

  async listen(t: TestContext): Promise<string> {
    const server = createServer((incoming, response) => this.#answer(incoming, response));
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    afterTest(t, () => {
      server.close();
      server.closeAllConnections();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  #answer(incoming: IncomingMessage, response: ServerResponse): void {
    this.count += 1;
    const fate = this.fate(incoming, this.count);
    incoming.on('error', () => {});
    if (fate === 'reset') {
      incoming.socket.resetAndDestroy();
    } else if (typeof fate === 'number') {
      incoming.resume();
      response.writeHead(fate).end('<Error><Code>InternalError</Code></Error>');
    } else if (fate === 'hang') {
      incoming.resume();
    } else {
      this.#pass(incoming, response, fate);
    }
  }

  #pass(
    incoming: IncomingMessage,
    response: ServerResponse,
    fate: Exclude<Fate, string | number> | 'pass',
  ): void {
    const { hostname, port } = this.#server;
    const { method, url: path, headers } = incoming;
    const sent = request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      if (fate === 'pass') {
        answer.pipe(response);
        return;
      }
      let left = 'cutAfter' in fate ? fate.cutAfter : fate.silentAfter;
      answer.on('data', (chunk: Buffer) => {
        if (left > 0) response.write(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0 && 'cutAfter' in fate) response.destroy();
      });
    });
    sent.on('error', () => response.destroy());
    incoming.pipe(sent);
    response.once('close', () => sent.destroy());
  }
}
