import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { afterTest } from '../after-test.ts';

/** A port of this machine that leads to a server, which starts later because its base URL names the port. */
export class Forwarder {
  readonly #sockets = new Set<Socket>();
  #target: URL | undefined;

  /** @returns the address, with the name of this machine */
  async listen(t: TestContext): Promise<string> {
    const server = createServer((socket) => this.#forward(socket));
    afterTest(t, () => {
      server.close();
      for (const socket of this.#sockets) socket.destroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://localhost:${(server.address() as AddressInfo).port}`;
  }

  leadTo(url: string): void {
    this.#target = new URL(url);
  }

  #forward(socket: Socket): void {
    if (this.#target === undefined) return void socket.destroy();
    const { hostname, port } = this.#target;
    const onward = connect(Number(port), hostname);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }
}
