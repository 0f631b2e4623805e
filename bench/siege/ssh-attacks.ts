import { generateKeyPairSync } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import ssh2 from 'ssh2';
import { encodeEd25519 } from '../../src/code/ssh/keys/private-key-file.ts';
import { OPEN_MS, pause } from './attempt.ts';
import { fetchRequest, pushCommands, unknownIds } from './packets.ts';
import type { Targets } from './targets.ts';

/** One attempt over SSH, which may open several connections. */
interface SshAttempt {
  readonly targets: Targets;
  /** of this machine: the server sees the connection come from it */
  readonly address: string;
  readonly turn: number;
  readonly signal: AbortSignal;
}

/** Returns what became of the attempt. */
type SshAttack = (attempt: SshAttempt) => Promise<string>;

const FLOOD_BYTES = 16 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
const KEYS_OFFERED = 50;
const CHANNELS = 50;
const CONNECTIONS = 20;
const PUSH_LEFT_AFTER_MS = 500;
const PUSHED_BYTES = 256 * 1024;
const WEAK: ssh2.Algorithms = {
  kex: ['diffie-hellman-group1-sha1'],
  cipher: ['aes128-cbc'],
  hmac: ['hmac-md5'],
};

/** Floods of the SSH server, by name. */
export const SSH_ATTACKS: Readonly<Record<string, SshAttack>> = {
  'SSH connection that never signs in': async (attempt) => {
    const socket = open(attempt);
    socket.resume();
    return endOf(socket);
  },

  'SSH version line without an end': async (attempt) => {
    const socket = open(attempt);
    socket.resume();
    const piece = Buffer.alloc(PIECE_BYTES, 'x');
    for (let sent = 0; sent < FLOOD_BYTES && !socket.destroyed; sent += piece.length)
      if (!socket.write(piece)) await Promise.race([drained(socket), closed(socket)]);
    return endOf(socket);
  },

  'SSH with weak algorithms': async (attempt) => (await signIn(attempt, { algorithms: WEAK })).outcome,

  'SSH with fifty keys that no one has': async (attempt) => {
    const left = [...unknownKeys()];
    const authHandler: ssh2.AuthHandlerMiddleware = (_left, _partial, next) => {
      const key = left.pop();
      if (key === undefined) next('none');
      else next({ type: 'publickey', username: 'git', key });
    };
    const { client, outcome } = await signIn(attempt, { authHandler });
    client.destroy();
    return outcome;
  },

  'SSH member with many channels': async (attempt) => {
    const { client, outcome } = await signInAsIntruder(attempt);
    if (outcome !== SIGNED_IN) return outcome;
    const { owner, history } = attempt.targets;
    // Without a protocol version, each command holds a process of git.
    for (let count = 0; count < CHANNELS; count += 1)
      client.exec(`git-upload-pack '/${owner}/${history}.git'`, (_error, channel) =>
        channel?.on('error', () => {}),
      );
    await hold(client, attempt.signal);
    return outcome;
  },

  'SSH member with many connections': async (attempt) => {
    const { text: privateKey } = attempt.targets.hoarder.sshKey;
    const made = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => signIn(attempt, { privateKey })),
    );
    const admitted = made.filter(({ outcome }) => outcome === SIGNED_IN);
    await Promise.all(admitted.map(({ client }) => hold(client, attempt.signal)));
    return admitted.length === made.length ? 'all signed in' : 'some turned away';
  },

  'SSH clone of which nothing is taken': async (attempt) => {
    const { client, outcome } = await signInAsIntruder(attempt);
    if (outcome !== SIGNED_IN) return outcome;
    const { owner, big, bigTip } = attempt.targets;
    const options = { env: { GIT_PROTOCOL: 'version=2' } };
    client.exec(`git-upload-pack '/${owner}/${big}.git'`, options, (_error, channel) => {
      channel?.on('error', () => {});
      channel?.write(fetchRequest(bigTip));
    });
    await hold(client, attempt.signal);
    return outcome;
  },

  'SSH push whose client vanishes': async (attempt) => {
    const { client, outcome } = await signInAsIntruder(attempt);
    if (outcome !== SIGNED_IN) return outcome;
    const { intruder, zeros } = attempt.targets;
    client.exec(`git-receive-pack '/${intruder.name}/lair.git'`, (_error, channel) => {
      channel?.on('error', () => {});
      channel?.write(pushCommands(unknownIds(1), `vanished-${attempt.turn}`));
      channel?.write(zeros.subarray(0, PUSHED_BYTES));
    });
    await pause(PUSH_LEFT_AFTER_MS, attempt.signal);
    client.destroy();
    return outcome;
  },
};

const SIGNED_IN = 'signed in';
const TURNED_AWAY = 'turned away';

interface SignedIn {
  readonly client: ssh2.Client;
  readonly outcome: string;
}

function signInAsIntruder(attempt: SshAttempt): Promise<SignedIn> {
  return signIn(attempt, { privateKey: attempt.targets.intruder.sshKey.text });
}

/** Resolves when the server has accepted or refused the client. */
async function signIn(attempt: SshAttempt, config: Partial<ssh2.ConnectConfig>): Promise<SignedIn> {
  const client = new ssh2.Client();
  const { promise, resolve } = Promise.withResolvers<string>();
  client.on('ready', () => resolve(SIGNED_IN));
  client.on('error', () => resolve(TURNED_AWAY));
  client.on('close', () => resolve(TURNED_AWAY));
  client.connect({ sock: open(attempt), username: 'git', readyTimeout: OPEN_MS, ...config });
  return { client, outcome: await promise };
}

function open({ targets, address, signal }: SshAttempt): Socket {
  const socket = connect({ host: '127.0.0.1', port: targets.sshPort, localAddress: address });
  const end = () => void socket.destroy();
  signal.addEventListener('abort', end, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', end));
  // The server may reset the connection at any time: that is one of the answers.
  socket.on('error', () => {});
  return socket;
}

async function endOf(socket: Socket): Promise<string> {
  let isPatient = true;
  const timer = setTimeout(() => {
    isPatient = false;
    socket.destroy();
  }, OPEN_MS);
  await closed(socket);
  clearTimeout(timer);
  return isPatient ? TURNED_AWAY : 'left open';
}

async function closed(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise<void>((resolve) => socket.once('close', () => resolve()));
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('drain', () => resolve()));
}

/** Holds a connection until the server or the attacker has enough of it. */
async function hold(client: ssh2.Client, signal: AbortSignal): Promise<void> {
  const left = new AbortController();
  client.once('close', () => left.abort());
  await pause(OPEN_MS, AbortSignal.any([signal, left.signal]));
  client.destroy();
}

let madeKeys: readonly string[] | undefined;

function unknownKeys(): readonly string[] {
  madeKeys ??= Array.from({ length: KEYS_OFFERED }, () =>
    encodeEd25519(generateKeyPairSync('ed25519').privateKey),
  );
  return madeKeys;
}
