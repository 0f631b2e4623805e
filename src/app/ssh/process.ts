import { connect, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type BridgeRequest, FRAMES, framesOf, SOCKET } from '../../code/ssh/bridge/frames.ts';
import type { Config } from '../config.ts';
import { ConfigError } from '../config-error.ts';

/**
 * Lets the running server answer what the system's OpenSSH asks: passes on what the client sends, and what the server
 * answers.
 *
 * @returns the exit status
 * @throws ConfigError if no server answers
 */
export async function askServer(
  { dataFolder }: Pick<Config, 'dataFolder'>,
  request: BridgeRequest,
): Promise<number> {
  const socket = await open(join(dataFolder, SOCKET));
  socket.write(`${JSON.stringify(request)}\n`);
  if (request.ask === 'serve') void pipeline(process.stdin, socket).catch(() => {});
  else socket.end();
  for await (const { kind, content } of framesOf(socket)) {
    if (kind === FRAMES.exit) {
      // The client may still send, and no one reads it.
      process.stdin.destroy();
      socket.destroy();
      return content.readUInt8();
    }
    await written(kind === FRAMES.error ? process.stderr : process.stdout, content);
  }
  throw new ConfigError('the server has ended the connection');
}

async function open(path: string): Promise<Socket> {
  const socket = connect({ path, allowHalfOpen: true });
  const { promise, resolve: done, reject } = Promise.withResolvers<void>();
  socket.once('connect', done);
  socket.once('error', reject);
  try {
    await promise;
    socket.off('error', reject);
    socket.on('error', () => {});
    return socket;
  } catch (error) {
    throw new ConfigError(
      `no server answers at ${path}: start it with --ssh-socket true (${(error as Error).message})`,
    );
  }
}

function written(stream: NodeJS.WriteStream, bytes: Uint8Array): Promise<void> {
  return new Promise((done) => {
    stream.write(bytes, () => done());
  });
}

/** Returns a command that starts this program for one client, as sshd passes it to a shell. */
export function serveCommand({ dataFolder }: Pick<Config, 'dataFolder'>): string {
  const program = [process.execPath, resolve(process.argv[1] ?? '')];
  return [...program, 'ssh', 'serve', '--data', dataFolder].map(quoted).join(' ');
}

/** Quotes a word for a shell. */
function quoted(word: string): string {
  return /^[A-Za-z0-9_/.:=+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
