import { withoutControls } from '../../../../base/core/text/text.ts';
import {
  DELIMITER,
  FLUSH,
  FLUSH_TEXT,
  inChunks,
  PKT_BYTES_MAX,
  pktLine,
  pktText,
} from '../../../../git/format/pkt-line.ts';
import type { SshClient } from '../../model.ts';

const DELIMITER_TEXT = DELIMITER.toString('latin1');
/** Content of a packet without its length digits. */
const CONTENT_BYTES_MAX = PKT_BYTES_MAX - 4;

/** Sends answers to one client of git-lfs. */
export class TransferAnswers {
  readonly #client: SshClient;
  #isOpen = false;

  constructor(client: SshClient) {
    this.#client = client;
  }

  /** Whether an answer has begun, so that no other answer can be sent. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** @param lines follow a delimiter; absent: there is no delimiter */
  async send(status: number, options: Options = {}, lines?: Iterable<string>): Promise<void> {
    const more = lines === undefined ? [] : [DELIMITER_TEXT, ...textsOf(lines)];
    for (const chunk of inChunks([...headOf(status, options), ...more, FLUSH_TEXT]))
      await this.#client.write(chunk);
  }

  /** Sends an error. Its message is for the user of the client. */
  fail(status: number, message: string, options?: Options): Promise<void> {
    return this.send(status, options, [withoutControls(message)]);
  }

  /** Sends the bytes of an object. If they fail, the answer stays open. */
  async sendBytes(options: Options, bytes: AsyncIterable<Buffer>): Promise<void> {
    this.#isOpen = true;
    await this.#client.write(Buffer.from([...headOf(200, options), DELIMITER_TEXT].join('')));
    for await (const chunk of bytes) await this.#client.write(inPackets(chunk));
    await this.#client.write(FLUSH);
    this.#isOpen = false;
  }

  /** Offers what the server can do. */
  async greet(capabilities: readonly string[]): Promise<void> {
    await this.#client.write(Buffer.from([...textsOf(capabilities), FLUSH_TEXT].join('')));
  }
}

type Options = Readonly<Record<string, string | number>>;

function headOf(status: number, options: Options): readonly string[] {
  const entries = Object.entries(options).map(([name, value]) => `${name}=${value}`);
  return textsOf([`status ${status}`, ...entries]);
}

function textsOf(lines: Iterable<string>): string[] {
  return Array.from(lines, (line) => pktText(`${line}\n`));
}

function inPackets(chunk: Buffer): Buffer {
  const packets: Buffer[] = [];
  for (let at = 0; at < chunk.length; at += CONTENT_BYTES_MAX)
    packets.push(pktLine(chunk.subarray(at, at + CONTENT_BYTES_MAX)));
  return packets.length === 1 ? (packets[0] ?? chunk) : Buffer.concat(packets);
}
