import { validateHeaderName, validateHeaderValue } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface EncodedRequest {
  readonly method: string;
  /** the first part of what is sent, in Latin-1 */
  readonly start: string;
  readonly rest: string | Uint8Array;
}

export interface HttpAnswer {
  readonly status: number;
  /** status line and headers as received */
  readonly head: string;
  readonly body: Buffer;
}

/** The response that a connection waits for. */
interface Waiting {
  readonly method: string;
  resolve(answer: HttpAnswer): void;
  reject(error: Error): void;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const CRLF = Buffer.from('\r\n');
const NOTHING = Buffer.alloc(0);
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
/** Instead of a number of bytes: the length of the response is unknown until its last chunk. */
const UNTIL_LAST_CHUNK = -1;
/** Instead of a number of bytes: the response ends with the connection. */
const UNTIL_CLOSE = Number.POSITIVE_INFINITY;

/**
 * An open connection that sends encoded requests and reads one response at a time. A full HTTP client takes more time for
 * a request than many servers: on two cores, a benchmark would measure the client.
 *
 * @see RFC 9112, sections 6 and 7
 */
export class HttpConnection {
  readonly #socket: Socket;
  #received: Buffer[] = [];
  #bytes = 0;
  /** how many bytes must arrive before it is worth parsing again */
  #wantedBytes = 0;
  #waiting: Waiting | null = null;
  /** the last bytes received; kept while a response has no known length */
  #tail: Buffer = NOTHING;
  #isOpen = true;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('end', () => this.#takeEnd());
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  static open(host: string, port: number): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new HttpConnection(socket));
      });
    });
  }

  /** False once either side has closed the connection or announced to close it. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends a request. Until its response is complete, the connection keeps the process alive. */
  send({ method, start, rest }: EncodedRequest): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { method, resolve, reject };
      this.#wantedBytes = 0;
      this.#socket.ref();
      this.#socket.cork();
      this.#socket.write(start, 'latin1');
      if (rest.length > 0) this.#socket.write(rest);
      this.#socket.uncork();
    });
  }

  close(): void {
    this.#isOpen = false;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    if (this.#waiting === null) {
      this.close();
      return;
    }
    this.#received.push(chunk);
    this.#bytes += chunk.length;
    if (this.#wantedBytes === UNTIL_LAST_CHUNK) {
      this.#tail = Buffer.concat([this.#tail, chunk]).subarray(-LAST_CHUNK.length);
      if (!this.#tail.equals(LAST_CHUNK)) return;
    }
    if (this.#bytes >= this.#wantedBytes) this.#read(this.#waiting, { isEnded: false });
  }

  #takeEnd(): void {
    if (this.#waiting !== null) this.#read(this.#waiting, { isEnded: true });
    this.close();
  }

  #read({ method }: Waiting, { isEnded }: { isEnded: boolean }): void {
    const all = Buffer.concat(this.#received);
    try {
      const response = responseIn(all, method, isEnded);
      if (typeof response !== 'number') this.#finish(response);
      else if (isEnded)
        throw new Error(
          `the server closed the connection during a response: ${all.toString('latin1', 0, 300)}`,
        );
      else this.#awaitMore(all, response);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #awaitMore(all: Buffer, wantedBytes: number): void {
    this.#received = [all];
    this.#wantedBytes = wantedBytes;
    this.#tail = all.subarray(-LAST_CHUNK.length);
  }

  #finish(answer: HttpAnswer): void {
    this.#waiting?.resolve(answer);
    this.#waiting = null;
    this.#received = [];
    this.#bytes = 0;
    if (announcesClose(answer.head) || this.#socket.writableLength > 0) {
      this.#isOpen = false;
      this.#socket.destroySoon();
    } else this.#socket.unref();
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = null;
    this.close();
  }
}

/**
 * Reads a response, after interim ones.
 *
 * @param isEnded whether the server has closed the connection
 * @returns the least number of bytes that can make it complete if it is not
 * @throws Error if the bytes are anything but one response
 */
function responseIn(bytes: Buffer, method: string, isEnded: boolean): HttpAnswer | number {
  for (let at = 0; ; ) {
    const headEnd = bytes.indexOf(HEAD_END, at);
    if (headEnd === -1) return bytes.length + 1;
    const head = bytes.toString('latin1', at, headEnd);
    const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) /.exec(head)?.[1]);
    if (Number.isNaN(status)) throw new Error(`not a response: ${head}`);
    at = headEnd + HEAD_END.length;
    if (status < 200) continue;
    const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
    const read = hasBody ? bodyIn(bytes, at, head) : { body: NOTHING, end: at };
    if (read === UNTIL_CLOSE && isEnded) return { status, head, body: bytes.subarray(at) };
    if (typeof read === 'number') return read;
    if (read.end < bytes.length)
      throw new Error(`${bytes.length - read.end} bytes after the response: ${head}`);
    return { status, head, body: read.body };
  }
}

interface ReadBody {
  readonly body: Buffer;
  readonly end: number;
}

function bodyIn(bytes: Buffer, start: number, head: string): ReadBody | number {
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return chunksIn(bytes, start);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) return UNTIL_CLOSE;
  const end = start + Number(length);
  return bytes.length < end ? end : { body: bytes.subarray(start, end), end };
}

function chunksIn(bytes: Buffer, start: number): ReadBody | number {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf(CRLF, at);
    if (lineEnd === -1) return UNTIL_LAST_CHUNK;
    const line = bytes.toString('latin1', at, lineEnd);
    if (!/^[0-9a-f]+$/i.test(line)) throw new Error(`not the size of a chunk: ${line}`);
    const chunkStart = lineEnd + CRLF.length;
    const chunkEnd = chunkStart + Number.parseInt(line, 16);
    at = chunkEnd + CRLF.length;
    if (bytes.length < at) return UNTIL_LAST_CHUNK;
    if (!bytes.subarray(chunkEnd, at).equals(CRLF)) throw new Error('a chunk is longer than its size');
    if (chunkEnd === chunkStart) return { body: Buffer.concat(parts), end: at };
    parts.push(bytes.subarray(chunkStart, chunkEnd));
  }
}

function announcesClose(head: string): boolean {
  return /\r\nconnection: *close/i.test(head);
}

/**
 * Encodes a request.
 *
 * @param host with the port
 * @throws TypeError if a header contains characters that headers cannot contain
 */
export function encodeRequest(
  host: string,
  request: {
    readonly method: string;
    /** with its query */
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | Uint8Array;
  },
): EncodedRequest {
  const { method, path, headers, body } = request;
  let start = `${method} ${path} HTTP/1.1\r\n`;
  if (headers.host === undefined) start += `host: ${host}\r\n`;
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    start += `${name}: ${value}\r\n`;
  }
  const length = Buffer.byteLength(body);
  if (headers['content-length'] === undefined && (length > 0 || /^P/.test(method)))
    start += `content-length: ${length}\r\n`;
  start += '\r\n';
  // ASCII bytes are the same in Latin-1.
  return typeof body === 'string' && length === body.length
    ? { method, start: start + body, rest: '' }
    : { method, start, rest: body };
}
