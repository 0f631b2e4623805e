import assert from 'node:assert/strict';
import { on } from 'node:events';
import type { TestContext } from 'node:test';
import type ssh2 from 'ssh2';
import { PktReader, pktLine } from '../../../src/git/format/pkt-line.ts';
import type { TestForge } from '../../support/forge/forge.ts';
import { type Exec, endOf, type KeyFile, openExec, signedIn } from './ssh-stage.ts';

export const FLUSH = Buffer.from('0000');
export const DELIMITER = Buffer.from('0001');

export interface TransferAnswer {
  readonly status: number;
  readonly options: Readonly<Record<string, string>>;
  /** after the delimiter, as lines */
  readonly lines: readonly string[];
  /** after the delimiter, as bytes */
  readonly bytes: Buffer;
}

/** A client of `git-lfs-transfer` that can send anything. */
export class TransferClient {
  readonly client: ssh2.Client;
  readonly channel: ssh2.ClientChannel;
  readonly #ended: Promise<Exec>;
  readonly #reader: PktReader;

  private constructor(client: ssh2.Client, channel: ssh2.ClientChannel) {
    this.client = client;
    this.channel = channel;
    this.#ended = endOf(channel);
    this.#reader = new PktReader(read(channel));
  }

  /** Starts a session, and reads what the server can do. */
  static async start(
    t: TestContext,
    { forge, key }: { forge: TestForge; key: KeyFile },
    operation: 'upload' | 'download',
    path = 'ada/engine.git',
  ): Promise<TransferClient> {
    const client = await signedIn(t, forge, key);
    const channel = await openExec(client, `git-lfs-transfer '/${path}' ${operation}`);
    const session = new TransferClient(client, channel);
    const { lines } = await session.#read();
    assert.deepEqual(lines, ['version=1', 'locking']);
    return session;
  }

  send(...pieces: readonly Uint8Array[]): void {
    this.channel.write(Buffer.concat(pieces));
  }

  /** Sends a request, and reads its answer. */
  ask(command: string, options: readonly string[] = [], content?: readonly (string | Buffer)[]) {
    this.send(...requestOf(command, options, content));
    return this.answer();
  }

  async answer(): Promise<TransferAnswer> {
    const { lines: head, bytes, rest } = await this.#read();
    const [status = '', ...options] = head;
    assert.match(status, /^status \d{3}$/);
    const entries = options.map((option) => option.split('=') as [string, string]);
    return { status: Number(status.slice(7)), options: Object.fromEntries(entries), lines: rest, bytes };
  }

  /** Waits for the end of the session. */
  ended(): Promise<Exec> {
    return this.#ended;
  }

  async #read(): Promise<{ lines: string[]; rest: string[]; bytes: Buffer }> {
    const lines: string[] = [];
    const content: Buffer[] = [];
    let isContent = false;
    for (;;) {
      const packet = await this.#reader.next({ delimiter: true });
      if (packet === undefined) throw new Error('the session has ended');
      if (packet === null) break;
      if (packet.equals(DELIMITER)) isContent = true;
      else if (isContent) content.push(Buffer.from(packet));
      else lines.push(textOf(packet));
    }
    return { lines, rest: content.map(textOf), bytes: Buffer.concat(content) };
  }
}

/** Returns the packets of a request. Bytes are content as it is; texts are lines. */
export function requestOf(
  command: string,
  options: readonly string[] = [],
  content?: readonly (string | Buffer)[],
): readonly Buffer[] {
  const line = (text: string) => pktLine(`${text}\n`);
  const rest = content?.map((piece) => (typeof piece === 'string' ? line(piece) : pktLine(piece)));
  return [line(command), ...options.map(line), ...(rest === undefined ? [] : [DELIMITER, ...rest]), FLUSH];
}

function textOf(packet: Buffer): string {
  return packet.toString().replace(/\n$/, '');
}

async function* read(channel: ssh2.ClientChannel): AsyncGenerator<Buffer> {
  for await (const [chunk] of on(channel, 'data', { close: ['end', 'close'] })) yield chunk;
}
