import { connect, type Socket } from 'node:net';

export interface HttpAnswer {
  readonly status: number;
  /** as received, in lowercase, to search for the few headers that matter */
  readonly head: string;
  readonly body: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const CRLF = Buffer.from('\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
/** Instead of a number of bytes: the length of the response is unknown until its last chunk. */
const UNTIL_LAST_CHUNK = -1;

/**
 * An open connection that sends prepared bytes and reads one response at a time. A full HTTP client takes more time for
 * a request than the servers under test, so on two cores it would measure itself.
 *
 * @see RFC 9112, sections 6 and 7
 */
export class HttpConnection {
  readonly #socket: Socket;
  #received: Buffer[] = [];
  #bytes = 0;
  /** how many bytes must arrive before it is worth parsing again */
  #wantedBytes = 0;
  #waiting: { resolve(answer: HttpAnswer): void; reject(error: Error): void } | null = null;
  /** the last bytes received */
  #tail: Buffer = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  static open(host: string, port: number): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new HttpConnection(socket));
      });
    });
  }

  send(request: Uint8Array): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#wantedBytes = 0;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.removeAllListeners('close').destroy();
  }

  #take(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#bytes += chunk.length;
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-LAST_CHUNK.length)]).subarray(-LAST_CHUNK.length);
    if (this.#waiting === null || this.#bytes < this.#wantedBytes) return;
    if (this.#wantedBytes === UNTIL_LAST_CHUNK && !this.#tail.equals(LAST_CHUNK)) return;
    const all = this.#received.length === 1 ? chunk : Buffer.concat(this.#received);
    this.#received = [all];
    const read = readAnswer(all);
    if (typeof read === 'number') {
      this.#wantedBytes = read;
      return;
    }
    const { resolve } = this.#waiting;
    this.#waiting = null;
    this.#received = [];
    this.#bytes = 0;
    resolve(read);
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = null;
  }
}

/**
 * Parses a response.
 *
 * @returns the response, or the least number of bytes that can make it complete
 */
function readAnswer(bytes: Buffer): HttpAnswer | number {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1) return bytes.length + 1;
  const head = bytes.toString('latin1', 0, headEnd).toLowerCase();
  const status = Number(head.slice('http/1.1 '.length, 'http/1.1 200'.length));
  const start = headEnd + HEAD_END.length;
  if (status === 204 || status === 304) return { status, head, body: Buffer.alloc(0) };
  if (/\r\ntransfer-encoding: *chunked/.test(head)) {
    const body = readChunks(bytes, start);
    return typeof body === 'number' ? body : { status, head, body };
  }
  const length = Number(/\r\ncontent-length: *(\d+)/.exec(head)?.[1]);
  if (!Number.isInteger(length)) throw new Error(`a response of unknown length: ${head}`);
  if (bytes.length < start + length) return start + length;
  return { status, head, body: bytes.subarray(start, start + length) };
}

function readChunks(bytes: Buffer, start: number): Buffer | number {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf(CRLF, at);
    if (lineEnd === -1) return UNTIL_LAST_CHUNK;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const end = lineEnd + CRLF.length + size;
    if (bytes.length < end + CRLF.length) return UNTIL_LAST_CHUNK;
    if (size === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(lineEnd + CRLF.length, end));
    at = end + CRLF.length;
  }
}

/** Encodes a request. */
export function encodeRequest(
  host: string,
  request: { method: string; path: string; headers: Readonly<Record<string, string>>; body: string },
): Buffer {
  const { method, path, headers, body } = request;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === '' && method === 'GET' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}${length}\r\n${body}`);
}
