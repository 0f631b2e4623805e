import { connect, type Socket } from 'node:net';

/** The start of a response: enough to judge it. */
export interface ResponseHead {
  readonly status: number;
  readonly hasRetryAfter: boolean;
}

/** A connection that sends bytes as an attacker would: late, slowly, or never. */
export class RawConnection {
  readonly socket: Socket;
  /** resolves with the response, or with undefined if the connection ends without one */
  readonly head: Promise<ResponseHead | undefined>;

  /** @param signal ends the connection */
  constructor(url: string, signal: AbortSignal) {
    const { hostname, port } = new URL(url);
    this.socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const end = () => this.socket.destroy();
    signal.addEventListener('abort', end, { once: true });
    this.socket.once('close', () => signal.removeEventListener('abort', end));
    // The server may reset the connection at any time: that is one of the answers.
    this.socket.on('error', () => {});
    this.head = readHead(this.socket);
  }

  /** Sends the start of a request. Without a length, the body has no end. */
  request(method: string, path: string, headers: Readonly<Record<string, string>>): void {
    const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost'];
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
    this.socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  }

  write(bytes: Uint8Array | string): void {
    if (!this.socket.destroyed) this.socket.write(bytes);
  }

  get isOpen(): boolean {
    return !this.socket.destroyed;
  }

  /** Waits until the connection is closed. */
  async closed(): Promise<void> {
    if (this.socket.closed) return;
    await new Promise<void>((resolve) => this.socket.once('close', () => resolve()));
  }

  end(): void {
    this.socket.destroy();
  }
}

function readHead(socket: Socket): Promise<ResponseHead | undefined> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      if (text.includes('\r\n\r\n')) return;
      text += chunk.toString('latin1');
      if (!text.includes('\r\n\r\n')) return;
      const head = text.slice(0, text.indexOf('\r\n\r\n'));
      resolve({
        status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]),
        hasRetryAfter: /^retry-after: \d+/im.test(head),
      });
    });
    socket.once('close', () => resolve(undefined));
  });
}
