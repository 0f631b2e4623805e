import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Person, TestForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';

/** A client that sends a part of a large body and then nothing more. */
export class HalfSentBody {
  readonly #socket: Socket;
  #received = '';

  constructor(forge: TestForge, request: { as?: Person; method: string; path: string; declared: number }) {
    const { hostname, port } = new URL(forge.url);
    const { as, method, path, declared } = request;
    const headers = [
      `${method} ${path} HTTP/1.1`,
      'Host: localhost',
      'Content-Type: application/json',
      `Content-Length: ${declared}`,
      ...(as === undefined ? [] : [`Authorization: token ${as.token}`]),
    ];
    this.#socket = connect(Number(port), hostname);
    this.#socket.on('data', (chunk: Buffer) => {
      this.#received += chunk.toString('latin1');
    });
    // A server that closes the connection early resets it.
    this.#socket.on('error', () => {});
    this.#socket.write(`${headers.join('\r\n')}\r\n\r\n{"content":"${'QUJD'.repeat(4_000)}`);
  }

  /** Returns the response, after the server has closed the connection. */
  async response(): Promise<string> {
    if (!this.#socket.closed) await once(this.#socket, 'close');
    return this.#received;
  }

  get isAnswered(): boolean {
    return this.#received !== '';
  }

  leave(): void {
    this.#socket.destroy();
  }
}

/** Returns the bytes that the server reserves for request bodies. */
export async function bodyBytes(forge: TestForge): Promise<number> {
  const metrics = await forge.get('/metrics');
  return Number(/^quire_http_body_bytes (\d+)$/m.exec(metrics.text)?.[1]);
}

export async function untilBodyBytes(forge: TestForge, expected: number): Promise<void> {
  await until(async () => (await bodyBytes(forge)) === expected);
}
