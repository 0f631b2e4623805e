import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { SSH_LIMITS } from '../limits.ts';
import type { SshCommands } from '../service.ts';
import type { BridgeAnswers } from './answers.ts';
import { BridgeClient } from './bridge-client.ts';
import { type BridgeRequest, FRAMES, frame } from './frames.ts';

interface Dependencies {
  readonly answers: BridgeAnswers;
  readonly commands: SshCommands;
  readonly log: FastifyBaseLogger;
}

const NEW_LINE = 0x0a;

/**
 * Serves the processes that the system's OpenSSH starts, over a socket that only the account of the server can open.
 * sshd has signed their clients in.
 */
export class BridgeServer {
  readonly #use: Dependencies;
  readonly #listener: Server;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#listener = createServer({ allowHalfOpen: true }, (socket) => void this.#serve(socket));
  }

  /** @param path of the socket; one that an ended process has left is replaced. @throws the errors of `listen` */
  async listen(path: string): Promise<void> {
    rmSync(path, { force: true });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#listener.once('error', reject);
    this.#listener.listen(path, resolve);
    await promise;
    chmodSync(path, 0o600);
    this.#listener.on('error', (error) => this.#use.log.error({ err: error }, 'the socket of SSH failed'));
  }

  /** Lets the process end although the server listens. */
  unref(): void {
    this.#listener.unref();
  }

  /** Accepts no more commands, and waits for the running ones. */
  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.#listener.close(() => resolve()));
  }

  async #serve(socket: Socket): Promise<void> {
    socket.on('error', () => {});
    const { log } = this.#use;
    try {
      const { request, input } = await readRequest(socket);
      const address = request.ask === 'serve' ? request.address : '';
      const client = new BridgeClient(socket, { input, address, log });
      const status = await this.#answer(request, client);
      socket.end(frame(FRAMES.exit, Buffer.of(status)));
      // What its client still sends is not wanted any more.
      socket.resume();
      setTimeout(() => socket.destroy(), SSH_LIMITS.endMs).unref();
    } catch (error) {
      if (!socket.closed) log.error({ err: error }, 'a process of OpenSSH was not served');
      socket.destroy();
    }
  }

  async #answer(request: BridgeRequest, client: BridgeClient): Promise<number> {
    const { answers, commands } = this.#use;
    if (request.ask !== 'serve') {
      await client.write(Buffer.from(await answers.linesFor(request)));
      return 0;
    }
    const identity = await answers.identityOf(request.by);
    if (identity !== undefined) {
      const { command, protocol } = request;
      return commands.run(identity, { command, protocol }, client);
    }
    await client.writeError('this key was removed\n');
    return 1;
  }
}

/** Reads the request, and returns what follows it. */
async function readRequest(
  socket: Socket,
): Promise<{ request: BridgeRequest; input: AsyncIterable<Buffer> }> {
  const chunks = (socket.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>)[
    Symbol.asyncIterator
  ]();
  let read: Buffer = Buffer.alloc(0);
  for (let end = -1; end === -1; end = read.indexOf(NEW_LINE)) {
    const { value, done } = await chunks.next();
    if (done === true) throw new Error('the request has no end');
    read = Buffer.concat([read, value]);
    if (read.length > SSH_LIMITS.bridgeRequestBytesMax && !read.includes(NEW_LINE))
      throw new Error('the request is too long');
  }
  const end = read.indexOf(NEW_LINE);
  const rest = read.subarray(end + 1);
  const input = async function* () {
    if (rest.length > 0) yield rest;
    yield* { [Symbol.asyncIterator]: () => chunks };
  };
  return { request: JSON.parse(read.toString('utf8', 0, end)), input: input() };
}
