import { isUtf8 } from 'node:buffer';
import { type Failure, ForgeError } from '../../../../base/core/failure.ts';
import { isPlainLine } from '../../../../base/core/text/text.ts';
import { DELIMITER, PktReader } from '../../../../git/format/pkt-line.ts';
import { SSH_LIMITS } from '../../limits.ts';
import type { SshClient } from '../../model.ts';
import { ClientInput } from '../input.ts';

/** What a client of git-lfs asks, without the lines or bytes that may follow. */
export interface TransferRequest {
  readonly command: string;
  /** the words after the command */
  readonly words: readonly string[];
  readonly options: ReadonlyMap<string, string>;
}

/** Length digits of a packet. */
const HEADER_BYTES = 4;

/**
 * Reads the requests of one client of git-lfs. A request is a command and options, and perhaps a delimiter and lines or
 * bytes; a flush packet ends it.
 */
export class TransferRequests {
  readonly #input: ClientInput;
  readonly #packets: PktReader;
  #isOpen = false;
  #isBroken = false;
  /** of texts of the current request */
  #textBytes = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(client: SshClient, patienceMs: number) {
    this.#input = new ClientInput(client, patienceMs);
    this.#packets = new PktReader(this.#input.read());
  }

  /** Whether nothing that follows can be read as a request. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /**
   * Waits for a request, and reads it up to its lines or bytes. The client may be quiet before it.
   *
   * @returns undefined if the client has ended what it sends
   * @throws ForgeError `bad_request`, `too_large`
   */
  async next(): Promise<TransferRequest | undefined> {
    this.#input.mayBeQuiet();
    const first = await this.#packet();
    if (first === undefined) return undefined;
    if (first === null) this.#fail('a request begins with a command');
    this.#input.mustSend();
    this.#isOpen = true;
    this.#textBytes = 0;
    const [command = '', ...words] = this.#textOf(first).split(' ');
    const options = await this.#options();
    return { command, words, options };
  }

  async #options(): Promise<ReadonlyMap<string, string>> {
    const options = new Map<string, string>();
    const argumentsMax = SSH_LIMITS.transferArgumentsMax;
    for (let count = 0; ; count += 1) {
      const packet = await this.#content({ delimiter: true });
      if (packet === null || packet === DELIMITER) return options;
      if (count === argumentsMax) this.#fail(`a request has at most ${argumentsMax} arguments`, 'too_large');
      const [name = '', ...value] = this.#textOf(packet).split('=');
      options.set(name, value.join('='));
    }
  }

  /** Reads the lines of the current request. @throws ForgeError `bad_request`, `too_large` */
  async lines(): Promise<readonly string[]> {
    const lines: string[] = [];
    for (let packet = await this.#content(); packet !== null; packet = await this.#content()) {
      if (lines.length === SSH_LIMITS.transferLinesMax)
        this.#fail(`a request has at most ${SSH_LIMITS.transferLinesMax} lines`, 'too_large');
      lines.push(this.#textOf(packet));
    }
    return lines;
  }

  /** Yields the bytes of the current request. @throws ForgeError `bad_request` */
  async *bytes(): AsyncGenerator<Buffer> {
    for (let packet = await this.#content(); packet !== null; packet = await this.#content()) yield packet;
  }

  /**
   * Reads the current request to its end, because its client reads no answer before it has sent all of it.
   *
   * @throws ForgeError `too_large` for a long rest
   */
  async skip(): Promise<void> {
    let bytes = 0;
    for (let packet = await this.#content(); packet !== null; packet = await this.#content()) {
      bytes += HEADER_BYTES + packet.length;
      if (bytes > SSH_LIMITS.transferSkippedBytesMax)
        this.#fail('the rest of the request is too large', 'too_large');
    }
  }

  /** Returns a packet of the current request; null at its end. */
  async #content(options?: { delimiter: boolean }): Promise<Buffer | null> {
    const read = async () => {
      if (!this.#isOpen || this.#isBroken) return null;
      const packet = await this.#packet(options);
      if (packet === undefined) this.#fail('the request ends too early');
      if (packet === null) this.#isOpen = false;
      return packet;
    };
    // A reader of the bytes that has given up may still wait for its last packet.
    const packet = this.#turn.then(read);
    this.#turn = packet.catch(() => {});
    return packet;
  }

  async #packet(options?: { delimiter: boolean }): Promise<Buffer | null | undefined> {
    try {
      return await this.#packets.next(options);
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }

  #textOf(packet: Buffer): string {
    const { transferLineBytesMax: lineBytesMax, transferRequestBytesMax: requestBytesMax } = SSH_LIMITS;
    if (packet.length > lineBytesMax) this.#fail(`a line has at most ${lineBytesMax} bytes`, 'too_large');
    this.#textBytes += HEADER_BYTES + packet.length;
    if (this.#textBytes > requestBytesMax) this.#fail('the request is too large', 'too_large');
    const text = packet.toString().replace(/\n$/, '');
    if (!isUtf8(packet) || !isPlainLine(text))
      throw badRequest('a line must be text without control characters');
    return text;
  }

  /** Gives up the stream. */
  #fail(what: string, kind: 'bad_request' | 'too_large' = 'bad_request'): never {
    this.#isBroken = true;
    const failure: Failure = { kind, what };
    throw new ForgeError(failure);
  }
}

export function badRequest(what: string): ForgeError {
  return new ForgeError({ kind: 'bad_request', what });
}
