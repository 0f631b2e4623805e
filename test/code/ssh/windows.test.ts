// Runs once: the database has no part in what a client takes.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type ssh2 from 'ssh2';
import { SSH_LIMITS } from '../../../src/code/ssh/limits.ts';
import { commitAll, temporaryFolder } from '../../support/git/git.ts';
import { until } from '../../support/until.ts';
import { transfersOf, untilNothingIsHeld } from '../transport/transfers.ts';
import { gitWithKey, openExec, signedIn, startEngine } from './ssh-stage.ts';

const FETCH = "git-upload-pack '/ada/engine.git'";
const PUSH = "git-receive-pack '/ada/engine.git'";
const ARCHIVE = "git-upload-archive '/ada/engine.git'";
/** More than the window with which the library begins, 2 MiB. */
const LARGE_BYTES = 4 * 1024 * 1024;

/** What the types of the library leave out. */
interface Protocol {
  session(channel: number, window: number, packet: number): void;
  channelWindowAdjust(channel: number, bytes: number): void;
}

/**
 * Lets a client grant a first window and then nothing, whatever it reads.
 *
 * @returns a function that grants more
 */
function grantOnly(
  client: ssh2.Client,
  window: number,
): (channel: ssh2.ClientChannel, bytes: number) => void {
  const { _protocol: protocol } = client as unknown as { _protocol: Protocol };
  const { session, channelWindowAdjust } = protocol;
  protocol.session = (channel, _window, packet) => session.call(protocol, channel, window, packet);
  protocol.channelWindowAdjust = () => {};
  return (channel, bytes) => {
    const { outgoing } = channel as unknown as { outgoing: { id: number } };
    channelWindowAdjust.call(protocol, outgoing.id, bytes);
  };
}

/** Starts a forge with a repository that is too large for one window. */
async function stage(t: TestContext) {
  const at = await startEngine(t);
  await writeFile(join(at.work, 'random'), randomBytes(LARGE_BYTES));
  const tip = await commitAll(at.work, 'large');
  await gitWithKey(at.work, at.key, ['push', '-q', 'origin', 'main']);
  await untilNothingIsHeld(at.forge);
  return { ...at, tip };
}

/** A fetch of the whole repository, in protocol version 2. */
function fetchOf(tip: string): string {
  const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
  const head = [line('command=fetch\n'), line('object-format=sha1\n'), '0001'];
  return [...head, line('no-progress\n'), line(`want ${tip}\n`), line('done\n'), '0000'].join('');
}

/** Lets time pass until the server has dropped a client. Its clock begins to run when it waits for the client. */
async function untilDropped(t: TestContext, client: ssh2.Client): Promise<void> {
  let isClosed = false;
  client.once('close', () => {
    isClosed = true;
  });
  await until(() => {
    t.mock.timers.tick(SSH_LIMITS.sendMs / 4);
    return isClosed;
  });
}

test('H7: a client that grants no window loses its connection, and holds nothing', async (t) => {
  const { forge, key } = await stage(t);
  const commands = [
    [FETCH, ''],
    [PUSH, ''],
    [ARCHIVE, '0012argument HEAD\n0000'],
    // The server explains on the standard error, which has a window, too.
    ['ls', ''],
    ["git-upload-pack '/ada/none.git'", ''],
  ] as const;
  const clients = await Promise.all(commands.map(() => signedIn(t, forge, key)));
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const [index, client] of clients.entries()) {
    const [command = '', input = ''] = commands[index] ?? [];
    grantOnly(client, 0);
    const channel = await openExec(client, command);
    channel.on('error', () => {});
    channel.write(input);
    await untilDropped(t, client);
  }
  await untilNothingIsHeld(forge);
});

test('H7: a client that takes nothing of a clone holds no process of git, and loses its connection', async (t) => {
  const { forge, key, tip } = await stage(t);
  const client = await signedIn(t, forge, key);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const channel = await openExec(client, FETCH);
  channel.on('error', () => {});
  channel.write(fetchOf(tip));
  const { fetch, spools } = transfersOf(forge);
  await until(() => spools.room.running > 0 && fetch.running === 0);
  await untilDropped(t, client);
  await untilNothingIsHeld(forge);
});

test('H7: a client that takes one window of a clone and grants no other loses its connection', async (t) => {
  const { forge, key, tip } = await stage(t);
  const client = await signedIn(t, forge, key);
  const window = 64 * 1024;
  grantOnly(client, window);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const channel = await openExec(client, FETCH);
  channel.on('error', () => {});
  let bytes = 0;
  channel.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  channel.write(fetchOf(tip));
  await until(() => bytes === window);
  await untilDropped(t, client);
  assert.equal(bytes, window, 'the server sends no more than the window');
  await untilNothingIsHeld(forge);
});

test('sessions of a client that takes nothing leave room for others, also of the same user', async (t) => {
  const { forge, key, tip, remote } = await stage(t);
  const client = await signedIn(t, forge, key);
  grantOnly(client, 0);
  await Promise.all(
    Array.from({ length: SSH_LIMITS.sessionsPerConnectionMax }, async () => {
      const channel = await openExec(client, FETCH);
      channel.on('error', () => {});
      channel.write(fetchOf(tip));
    }),
  );
  const cloned = await gitWithKey(await temporaryFolder(t), key, ['clone', '-q', '--bare', remote, 'copy']);
  assert.equal(cloned.exitCode, 0, cloned.stderr);
  client.destroy();
  await untilNothingIsHeld(forge);
});

test('a client that grants its window piece by piece gets all of a clone', async (t) => {
  const { forge, key, tip } = await stage(t);
  const client = await signedIn(t, forge, key);
  const grant = grantOnly(client, 32 * 1024);
  const channel = await openExec(client, FETCH);
  let bytes = 0;
  channel.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    grant(channel, chunk.length);
  });
  const closed = once(channel, 'close');
  channel.end(`${fetchOf(tip)}0000`);
  const [code] = await closed;
  assert.equal(code, 0);
  assert.ok(bytes > LARGE_BYTES, `${bytes} bytes`);
});
