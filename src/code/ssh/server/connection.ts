import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import type { AuthContext, Connection, PublicKeyAuthContext, ServerChannel, Session } from 'ssh2';
import { CLIENT_LEFT } from '../../../base/core/fairness/caller.ts';
import { Notice } from '../../../base/core/spool/notice.ts';
import { Deadline } from '../../../base/core/time/deadline.ts';
import type { SshIdentities } from '../keys/identities.ts';
import { SSH_LIMITS } from '../limits.ts';
import type { SshIdentity } from '../model.ts';
import type { SshCommands } from '../service.ts';
import { ChannelClient } from './channel-client.ts';

export interface ConnectionNeeds {
  readonly identities: SshIdentities;
  readonly commands: SshCommands;
  readonly log: FastifyBaseLogger;
  /** Admits a client that has signed in. @returns false if it has too many connections */
  readonly admit: (identity: SshIdentity) => boolean;
}

/** The only name with which a client signs in. Its key says who it is. */
const USER = 'git';
const METHODS: ['publickey'] = ['publickey'];

/** One connection to the own server: its sign-in, and the sessions in which it runs commands. */
export class SshConnection {
  readonly #connection: Connection;
  readonly #socket: Socket;
  readonly #address: string;
  readonly #use: ConnectionNeeds;
  readonly #left = new AbortController();
  readonly #idle: Deadline;
  readonly #exchanged = new Notice();
  readonly #channels = new Set<ServerChannel>();
  #identity: SshIdentity | undefined;
  #attempts = 0;
  #sessions = 0;
  #sessionsInAll = 0;
  #running = 0;
  #isStopping = false;
  #bytesAtExchange = 0;
  #rekeyTimer: NodeJS.Timeout | undefined;

  constructor(connection: Connection, socket: Socket, use: ConnectionNeeds) {
    this.#connection = connection;
    this.#socket = socket;
    this.#address = socket.remoteAddress ?? '';
    this.#use = use;
    this.#idle = new Deadline(SSH_LIMITS.sshIdleMs, () => this.#finish());
    this.#idle.pause();
    this.#listen();
  }

  /** Ends the connection when its commands have ended. */
  stop(): void {
    this.#isStopping = true;
    if (this.#running === 0) this.#finish();
  }

  /** Says goodbye. A client that does not close the connection is cut off. */
  #finish(): void {
    this.#connection.end();
    setTimeout(() => this.#socket.destroy(), SSH_LIMITS.endMs).unref();
  }

  #listen(): void {
    const connection = this.#connection;
    connection.on('authentication', (attempt) => void this.#authenticate(attempt));
    connection.on('ready', () => this.#begin());
    connection.on('session', (accept, reject) => this.#openSession(accept, reject));
    connection.on('rekey', () => this.#exchanged.notify());
    // Wrong packets, and connections that break. The library ends the connection, and there is nothing to repair.
    connection.on('error', (error) => this.#use.log.debug({ err: error }, 'an SSH connection failed'));
    connection.on('close', () => this.#end());
    this.#socket.once('close', () => this.#end());
  }

  #end(): void {
    this.#left.abort(CLIENT_LEFT);
    this.#idle.finish();
    clearInterval(this.#rekeyTimer);
  }

  async #authenticate(attempt: AuthContext): Promise<void> {
    try {
      this.#attempts += 1;
      if (this.#attempts > SSH_LIMITS.attemptsPerConnectionMax) this.#finish();
      else if (attempt.method !== 'publickey' || attempt.username !== USER) attempt.reject(METHODS);
      else await this.#authenticateByKey(attempt);
    } catch (error) {
      this.#use.log.error({ err: error }, 'a sign-in over SSH failed');
      this.#socket.destroy();
    }
  }

  async #authenticateByKey(attempt: PublicKeyAuthContext): Promise<void> {
    const { key, hashAlgo, signature, blob } = attempt;
    const offer = { algorithm: key.algo, hash: hashAlgo, blob: key.data };
    const proof = signature === undefined || blob === undefined ? undefined : { signature, message: blob };
    const identity = await this.#use.identities.find(offer, { proof, address: this.#address });
    if (this.#left.signal.aborted) return;
    if (identity === undefined) return attempt.reject(METHODS);
    if (proof !== undefined) {
      if (!this.#use.admit(identity)) return this.#refuse('too many connections with this key');
      this.#identity = identity;
    }
    attempt.accept();
  }

  #refuse(why: string): void {
    this.#use.log.warn({ ip: this.#address }, why);
    this.#finish();
  }

  #begin(): void {
    this.#idle.restart();
    this.#rekeyTimer = setInterval(() => this.#rekey(), SSH_LIMITS.rekeyMs).unref();
    this.#socket.on('data', () => this.#watch());
  }

  #openSession(accept: () => Session, reject: () => void): void {
    const isFull =
      this.#sessions >= SSH_LIMITS.sessionsPerConnectionMax ||
      this.#sessionsInAll >= SSH_LIMITS.sessionsInAllMax;
    if (this.#isStopping || isFull) reject();
    else this.#listenTo(accept());
  }

  #listenTo(session: Session): void {
    this.#sessions += 1;
    this.#sessionsInAll += 1;
    const left = new AbortController();
    const close = () => {
      if (left.signal.aborted) return;
      left.abort(CLIENT_LEFT);
      this.#sessions -= 1;
    };
    session.on('close', close);
    this.#left.signal.addEventListener('abort', close, { once: true });
    const end = () => {
      this.#left.signal.removeEventListener('abort', close);
      close();
    };
    let protocol: string | undefined;
    session.on('env', (confirm, deny, { key, val }) => {
      if (key === 'GIT_PROTOCOL') protocol = val;
      if (key === 'GIT_PROTOCOL') confirm?.();
      else deny?.();
    });
    session.on('exec', (confirm, _deny, { command }) =>
      this.#run(confirm(), { command, protocol }, left.signal).finally(end),
    );
    session.on('shell', (confirm) =>
      this.#run(confirm(), { command: undefined, protocol }, left.signal).finally(end),
    );
    // Without a listener, the library denies everything else: terminals, forwarding, agents, X11 and subsystems.
  }

  async #run(
    channel: ServerChannel | undefined,
    request: { command: string | undefined; protocol: string | undefined },
    left: AbortSignal,
  ): Promise<void> {
    const identity = this.#identity;
    if (channel === undefined || identity === undefined) return;
    this.#channels.add(channel);
    this.#running += 1;
    this.#idle.pause();
    channel.on('error', () => {});
    const { log, commands } = this.#use;
    const canSend = () => this.#canSend();
    const place = { channel, socket: this.#socket, left, log, address: this.#address, canSend };
    const status = await commands.run(identity, request, new ChannelClient(place));
    this.#channels.delete(channel);
    this.#running -= 1;
    if (this.#running === 0) this.#idle.restart();
    if (!left.aborted) {
      channel.exit(status);
      channel.end();
      // Without it, the library waits until what the client has sent is read.
      channel.resume();
    }
    if (this.#isStopping && this.#running === 0) this.#finish();
  }

  /** Waits while keys are exchanged, because the library would hold all output in memory until then. */
  async #canSend(): Promise<void> {
    while (this.#isExchanging()) await this.#exchanged.next();
    if (this.#socket.bytesWritten - this.#bytesAtExchange > SSH_LIMITS.rekeyBytes) this.#rekey();
  }

  #isExchanging(): boolean {
    // Not in the types of the library: what it has offered, until both sides use the new keys.
    const { _protocol: protocol } = this.#connection as unknown as { _protocol?: { _kexinit?: unknown } };
    return protocol?._kexinit !== undefined;
  }

  #rekey(): void {
    if (this.#isExchanging()) return;
    this.#bytesAtExchange = this.#socket.bytesWritten;
    this.#connection.rekey();
  }

  /** Ends a connection that sends more than its window allows, and waits for a client that does not read answers. */
  #watch(): void {
    const socket = this.#socket;
    const isFlooding = [...this.#channels].some(
      (channel) => channel.readableLength > SSH_LIMITS.unreadBytesMax,
    );
    if (isFlooding) socket.destroy();
    else if (socket.writableLength > SSH_LIMITS.answersBytesMax && !socket.isPaused()) {
      socket.pause();
      socket.once('drain', () => socket.resume());
    }
  }
}
