import { createServer, type Server, type Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import ssh2, { type Connection } from 'ssh2';
import type { SshIdentities } from '../keys/identities.ts';
import { SSH_LIMITS } from '../limits.ts';
import { type SshIdentity, shareOf } from '../model.ts';
import type { SshCommands } from '../service.ts';
import { ALGORITHMS } from './algorithms.ts';
import { SshConnection } from './connection.ts';
import { Strangers } from './strangers.ts';

interface Dependencies {
  readonly identities: SshIdentities;
  readonly commands: SshCommands;
  /** private keys of the server as PEM */
  readonly hostKeys: readonly string[];
  readonly log: FastifyBaseLogger;
}

/** The own SSH server. It signs clients in by their keys, and runs commands of git. */
export class SshServer {
  readonly #use: Dependencies;
  readonly #listener: Server;
  readonly #protocol: ssh2.Server;
  readonly #strangers = new Strangers();
  readonly #connections = new Set<SshConnection>();
  /** connections that have signed in, by caller */
  readonly #admitted = new Map<string, number>();
  #admittedCount = 0;
  #isStopping = false;
  /** the socket whose connection the library is about to announce */
  readonly #sockets = new Map<string, Opened>();

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#protocol = new ssh2.Server({
      hostKeys: dependencies.hostKeys.flatMap(parsedHostKeys),
      algorithms: ALGORITHMS,
      ident: 'quire',
      keepaliveInterval: SSH_LIMITS.keepaliveMs,
      keepaliveCountMax: SSH_LIMITS.keepalivesMax,
    } as unknown as ssh2.ServerConfig);
    this.#protocol.on('connection', (connection, { ip, port }) =>
      this.#begin(connection, this.#sockets.get(`${ip} ${port}`)),
    );
    this.#listener = createServer({ noDelay: true, keepAlive: true }, (socket) => this.#open(socket));
  }

  /** @returns the port. @throws the errors of `listen` */
  async listen(port: number, host: string): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#listener.once('error', reject);
    this.#listener.listen({ port, host, backlog: 1024 }, resolve);
    await promise;
    this.#listener.on('error', (error) => this.#use.log.error({ err: error }, 'the SSH server failed'));
    const address = this.#listener.address();
    if (address === null || typeof address === 'string') throw new Error('the SSH server has no port');
    return address.port;
  }

  /** connections that have not ended */
  get connectionCount(): number {
    return this.#sockets.size;
  }

  /** Lets the process end although the server listens. */
  unref(): void {
    this.#listener.unref();
  }

  /** Accepts no more connections and commands, and waits for the running commands. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const closed = new Promise<void>((resolve) => this.#listener.close(() => resolve()));
    for (const { stranger, hasSignedIn } of this.#sockets.values()) if (!hasSignedIn()) stranger.end();
    for (const connection of this.#connections) connection.stop();
    await closed;
  }

  #open(socket: Socket): void {
    const { remoteAddress: address, remotePort: port } = socket;
    socket.on('error', () => {});
    if (address === undefined || this.#isStopping) return void socket.destroy();
    const stranger = { end: () => void socket.destroy() };
    const leave = this.#strangers.add(address, stranger);
    if (leave === undefined) return void socket.destroy();
    const timer = setTimeout(stranger.end, SSH_LIMITS.sshSignInMs).unref();
    const count = () => {
      if (socket.bytesRead > SSH_LIMITS.strangerBytesMax) stranger.end();
    };
    socket.on('data', count);
    let isSignedIn = false;
    const signedIn = () => {
      isSignedIn = true;
      clearTimeout(timer);
      socket.off('data', count);
      leave();
    };
    const name = `${address} ${port}`;
    this.#sockets.set(name, { socket, stranger, signedIn, hasSignedIn: () => isSignedIn });
    socket.once('close', () => {
      this.#sockets.delete(name);
      signedIn();
    });
    this.#protocol.injectSocket(socket);
  }

  #begin(client: Connection, opened: Opened | undefined): void {
    if (opened === undefined) return void client.end();
    const { socket, signedIn } = opened;
    const { identities, commands, log } = this.#use;
    const admit = (identity: SshIdentity) => this.#admit(identity, socket);
    const connection = new SshConnection(client, socket, { identities, commands, log, admit });
    this.#connections.add(connection);
    client.once('ready', () => {
      signedIn();
      if (this.#isStopping) connection.stop();
    });
    socket.once('close', () => this.#connections.delete(connection));
  }

  /** Counts a connection for its caller until it ends. */
  #admit(identity: SshIdentity, socket: Socket): boolean {
    const share = shareOf(identity);
    const count = this.#admitted.get(share) ?? 0;
    if (count >= SSH_LIMITS.connectionsPerCallerMax || this.#admittedCount >= SSH_LIMITS.connectionsMax)
      return false;
    this.#admitted.set(share, count + 1);
    this.#admittedCount += 1;
    socket.once('close', () => {
      const rest = (this.#admitted.get(share) ?? 0) - 1;
      if (rest > 0) this.#admitted.set(share, rest);
      else this.#admitted.delete(share);
      this.#admittedCount -= 1;
    });
    return true;
  }
}

/** The library would use an RSA key with SHA-1, too, unless the algorithms with SHA-2 look like types of keys. */
function parsedHostKeys(text: string): { key: ssh2.ParsedKey }[] {
  const key = ssh2.utils.parseKey(text);
  if (key instanceof Error) throw key;
  if (key.type !== 'ssh-rsa') return [{ key }];
  return ['rsa-sha2-512', 'rsa-sha2-256'].map((type) => ({
    key: Object.create(key, { type: { value: type } }),
  }));
}

interface Opened {
  readonly socket: Socket;
  readonly stranger: { end(): void };
  /** ends the limits for strangers */
  readonly signedIn: () => void;
  readonly hasSignedIn: () => boolean;
}
