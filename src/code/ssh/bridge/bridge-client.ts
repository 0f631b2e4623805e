import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { CLIENT_LEFT } from '../../../base/core/fairness/caller.ts';
import { SSH_LIMITS } from '../limits.ts';
import type { SshClient } from '../model.ts';
import { FRAMES, frame } from './frames.ts';

/** The client of a command, behind a process of the system's OpenSSH. */
export class BridgeClient implements SshClient {
  readonly #socket: Socket;
  readonly #left = new AbortController();
  readonly input: AsyncIterable<Buffer>;
  readonly address: string;
  readonly log: FastifyBaseLogger;

  constructor(socket: Socket, { input, address, log }: Pick<SshClient, 'input' | 'address' | 'log'>) {
    this.#socket = socket;
    this.input = input;
    this.address = address;
    this.log = log;
    socket.once('close', () => this.#left.abort(CLIENT_LEFT));
    if (socket.closed) this.#left.abort(CLIENT_LEFT);
  }

  get left(): AbortSignal {
    return this.#left.signal;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += SSH_LIMITS.pieceBytes)
      await this.#send(frame(FRAMES.output, bytes.subarray(at, at + SSH_LIMITS.pieceBytes)));
  }

  async writeError(text: string): Promise<void> {
    await this.#send(frame(FRAMES.error, Buffer.from(text)));
  }

  drop(): void {
    this.#socket.destroy();
  }

  async #send(bytes: Buffer): Promise<void> {
    this.left.throwIfAborted();
    if (this.#socket.write(bytes)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    this.#socket.once('drain', wake);
    this.left.addEventListener('abort', wake, { once: true });
    await promise;
    this.#socket.off('drain', wake);
    this.left.removeEventListener('abort', wake);
    this.left.throwIfAborted();
  }
}
