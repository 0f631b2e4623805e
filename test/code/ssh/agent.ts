import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { SshReader, sshString } from '../../../src/code/keys/ssh/reader.ts';
import { afterTest } from '../../support/after-test.ts';
import { temporaryFolder } from '../../support/git/git.ts';
import type { SshPair } from '../../support/keys/ssh-keys.ts';

const FAILURE = 5;
const ASK_IDENTITIES = 11;
const IDENTITIES = 12;
const ASK_SIGNATURE = 13;
const SIGNATURE = 14;

/**
 * Starts an agent for the real ssh client that has one key, such as the key of a security token that no machine has.
 *
 * @param sign returns a whole signature, with its algorithm
 * @returns path of its socket
 * @see draft-ietf-sshm-ssh-agent
 */
export async function startAgent(
  t: TestContext,
  pair: SshPair,
  sign: (data: Buffer) => Buffer,
): Promise<string> {
  const path = join(await temporaryFolder(t), 'agent');
  const answer = (message: Buffer): Buffer => {
    if (message[0] === ASK_IDENTITIES) {
      const key = [sshString(pair.blob), sshString('token')];
      return Buffer.concat([Buffer.from([IDENTITIES, 0, 0, 0, 1]), ...key]);
    }
    if (message[0] !== ASK_SIGNATURE) return Buffer.of(FAILURE);
    const reader = new SshReader(message.subarray(1));
    reader.string();
    return Buffer.concat([Buffer.of(SIGNATURE), sshString(sign(reader.string()))]);
  };
  const server = createServer((socket) => answerAll(socket, answer)).listen(path);
  afterTest(t, () => new Promise<void>((resolve) => void server.close(() => resolve())));
  await new Promise((resolve) => server.once('listening', resolve));
  return path;
}

function answerAll(socket: Socket, answer: (message: Buffer) => Buffer): void {
  let read: Buffer = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    read = Buffer.concat([read, chunk]);
    while (read.length >= 4 && read.length >= 4 + read.readUInt32BE()) {
      const end = 4 + read.readUInt32BE();
      socket.write(sshString(answer(read.subarray(4, end))));
      read = read.subarray(end);
    }
  });
}
