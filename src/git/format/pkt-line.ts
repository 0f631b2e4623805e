import { ForgeError } from '../../base/core/failure.ts';

/** Longest packet with its four length digits: gitprotocol-common(5), pkt-line format. */
export const PKT_BYTES_MAX = 65520;
/** A flush packet, which ends a list. */
export const FLUSH_TEXT = '0000';
export const FLUSH = Buffer.from(FLUSH_TEXT);

/** A delimiter packet of protocol version 2, which ends one part of a list. */
export const DELIMITER = Buffer.from('0001');

/** Packets of one chunk. */
const PACKETS_TOGETHER = 1_000;

export function pktLine(content: string | Uint8Array): Buffer {
  if (typeof content === 'string') return Buffer.from(pktText(content));
  return Buffer.concat([Buffer.from(lengthText(content.length)), content]);
}

/** Returns a packet as text. Many of them are encoded faster together. */
export function pktText(content: string): string {
  return lengthText(Buffer.byteLength(content)) + content;
}

function lengthText(contentBytes: number): string {
  return (contentBytes + 4).toString(16).padStart(4, '0');
}

/** Encodes packets of a long list, so that a response is few large writes, and other requests run between them. */
export function* inChunks(packets: Iterable<string>): Generator<Buffer> {
  let together: string[] = [];
  for (const packet of packets) {
    together.push(packet);
    if (together.length < PACKETS_TOGETHER) continue;
    yield Buffer.from(together.join(''));
    together = [];
  }
  if (together.length > 0) yield Buffer.from(together.join(''));
}

/** Splits `content` into packets of one side band: gitprotocol-pack(5), side-band-64k. */
export function* sideBand(band: 1 | 2 | 3, content: Uint8Array): Generator<Buffer> {
  const pieceMax = PKT_BYTES_MAX - 5;
  for (let at = 0; at < content.length; at += pieceMax) {
    yield pktLine(Buffer.concat([Buffer.of(band), content.subarray(at, at + pieceMax)]));
  }
}

/** Reads packets from the start of a stream and passes on the rest. */
export class PktReader {
  readonly #iterator: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  #ended = false;

  constructor(source: AsyncIterable<Buffer>) {
    this.#iterator = source[Symbol.asyncIterator]();
  }

  /**
   * @param options.delimiter accepts a delimiter packet here and returns it as `DELIMITER`
   * @returns the content of the next packet; null for a flush packet; undefined at the end of the stream
   * @throws ForgeError `bad_request` for malformed packets
   */
  async next(options: { delimiter: boolean } = { delimiter: false }): Promise<Buffer | null | undefined> {
    if (!(await this.#fill(4))) {
      if (this.#rest.length === 0) return undefined;
      throw malformed();
    }
    const digits = this.#rest.toString('latin1', 0, 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw malformed();
    const length = Number.parseInt(digits, 16);
    if (length === 0) {
      this.#take(4);
      return null;
    }
    if (length === 1 && options.delimiter) {
      this.#take(4);
      return DELIMITER;
    }
    if (length < 4 || length > PKT_BYTES_MAX || !(await this.#fill(length))) throw malformed();
    return this.#take(length).subarray(4);
  }

  /** Yields all bytes after the packets read so far. */
  async *remaining(): AsyncGenerator<Buffer> {
    if (this.#rest.length > 0) yield this.#take(this.#rest.length);
    while (!this.#ended) {
      const { value, done } = await this.#iterator.next();
      if (done === true) this.#ended = true;
      else yield value;
    }
  }

  async #fill(bytes: number): Promise<boolean> {
    while (this.#rest.length < bytes && !this.#ended) {
      const { value, done } = await this.#iterator.next();
      if (done === true) this.#ended = true;
      else this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
    }
    return this.#rest.length >= bytes;
  }

  #take(bytes: number): Buffer {
    const taken = this.#rest.subarray(0, bytes);
    this.#rest = this.#rest.subarray(bytes);
    return taken;
  }
}

function malformed(): ForgeError {
  return new ForgeError({ kind: 'bad_request', what: 'malformed packet' });
}
