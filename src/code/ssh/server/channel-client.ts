import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import type { ServerChannel } from 'ssh2';
import { CLIENT_LEFT } from '../../../base/core/fairness/caller.ts';
import { Notice } from '../../../base/core/spool/notice.ts';
import { Deadline } from '../../../base/core/time/deadline.ts';
import { SSH_LIMITS } from '../limits.ts';
import type { SshClient } from '../model.ts';

interface Place {
  readonly channel: ServerChannel;
  readonly socket: Socket;
  /** fires when the session or the connection ends */
  readonly left: AbortSignal;
  readonly log: FastifyBaseLogger;
  readonly address: string;
  /** resolves when the connection can send: during an exchange of keys, the library would hold all output in memory */
  readonly canSend: () => Promise<void>;
}

/** The client of a command, over a channel of the own server. */
export class ChannelClient implements SshClient {
  readonly #at: Place;
  readonly input: AsyncIterable<Buffer>;

  constructor(place: Place) {
    this.#at = place;
    this.input = bytesOf(place);
  }

  get left(): AbortSignal {
    return this.#at.left;
  }

  get log(): FastifyBaseLogger {
    return this.#at.log;
  }

  get address(): string {
    return this.#at.address;
  }

  async write(bytes: Uint8Array): Promise<void> {
    const { channel } = this.#at;
    for (let at = 0; at < bytes.length; at += SSH_LIMITS.pieceBytes) {
      const piece = bytes.subarray(at, at + SSH_LIMITS.pieceBytes);
      await this.#send((done) => channel.write(piece, done));
    }
  }

  async writeError(text: string): Promise<void> {
    const { channel } = this.#at;
    await this.#send((done) => channel.stderr.write(text, done));
  }

  drop(): void {
    this.#at.socket.destroy();
  }

  /** The library sends as much as the window of the client allows, which can be gigabytes, so the socket counts, too. */
  async #send(write: (done: () => void) => unknown): Promise<void> {
    const { socket, left, canSend } = this.#at;
    left.throwIfAborted();
    const deadline = new Deadline(SSH_LIMITS.sendMs, () => this.drop());
    try {
      await untilOrLeft(canSend(), left);
      const { promise, resolve } = Promise.withResolvers<void>();
      write(resolve);
      await untilOrLeft(promise, left);
      deadline.restart();
      if (socket.writableLength > SSH_LIMITS.waitingBytesMax) await untilOrLeft(drained(socket), left);
    } finally {
      deadline.finish();
    }
  }
}

function drained(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('drain', resolve);
  return promise;
}

/** @throws the reason of the signal, which can fire although the promise stays open */
async function untilOrLeft(promise: Promise<void>, left: AbortSignal): Promise<void> {
  left.throwIfAborted();
  const { promise: gone, reject } = Promise.withResolvers<never>();
  const onLeft = () => reject(left.reason);
  left.addEventListener('abort', onLeft, { once: true });
  try {
    await Promise.race([promise, gone]);
  } finally {
    left.removeEventListener('abort', onLeft);
  }
}

/** Yields what a client sends. Never ends the channel, which also carries the answer. */
async function* bytesOf({ channel, left }: Place): AsyncGenerator<Buffer> {
  const changed = new Notice();
  const notify = () => changed.notify();
  channel.on('readable', notify);
  channel.once('end', notify);
  left.addEventListener('abort', notify, { once: true });
  for (;;) {
    const next = changed.next();
    const chunk: Buffer | null = channel.read();
    if (chunk !== null) yield chunk;
    else if (left.aborted) throw CLIENT_LEFT;
    else if (channel.readableEnded) return;
    else await next;
  }
}
