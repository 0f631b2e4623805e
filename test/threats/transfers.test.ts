import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { RepositoryFolder } from '../../src/git/folders/repository-layout.ts';
import { PROCESS_SLOTS } from '../../src/git/processes/process-slots.ts';
import { gitProcesses, LISTS_PROCESSES } from '../code/transport/server-process.ts';
import { fillSpools, transfersOf, untilNothingIsHeld } from '../code/transport/transfers.ts';
import { emptyPack, FLUSH, pkt, pktLines, pushBody, sendGit, ZERO } from '../code/transport/wire.ts';
import { type Person, startForge, type TestForge } from '../support/forge/forge.ts';
import { commitAll, git, refsOf, temporaryFolder, tryGit, workingCopy } from '../support/git/git.ts';
import { watchProcesses } from '../support/git/started-processes.ts';
import { dial, head } from '../support/http/raw.ts';
import { until } from '../support/until.ts';

// Runs once: no outcome depends on the database.

const MIB = 1024 * 1024;
const SOCKETS = 8;

interface Stage {
  readonly forge: TestForge;
  readonly ada: Person;
  readonly work: string;
  readonly tip: string;
}

/** Starts a forge with two slots for fetches and one for pushes, and a public repository of `bytes` random bytes. */
async function stage(t: TestContext, bytes: number, settings: Record<string, string> = {}): Promise<Stage> {
  const forge = await startForge(t, { settings: { fetchSlots: '2', pushSlots: '1', ...settings } });
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const work = await workingCopy(t);
  // Random bytes do not get smaller.
  await git(work, ['config', 'core.compression', '0']);
  await writeFile(join(work, 'random'), randomBytes(bytes));
  const tip = await commitAll(work, 'first');
  await git(work, ['push', '-q', ada.remote('ada/engine'), 'main']);
  return { forge, ada, work, tip };
}

/** Opens sockets, sends the head of a request on each, and then these bytes of its body. */
async function openSockets(
  t: TestContext,
  forge: TestForge,
  request: { count: number; lines: readonly string[]; bytes: number; sent: Buffer },
): Promise<readonly Socket[]> {
  const { count, lines, bytes, sent } = request;
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = await dial(t, forge);
      socket.write(head([...lines, `Content-Length: ${bytes}`]));
      socket.write(sent);
      return socket;
    }),
  );
}

function fetchLines(): string[] {
  return ['POST /ada/engine/git-upload-pack HTTP/1.1', 'Content-Type: application/x-git-upload-pack-request'];
}

function pushLines(person: Person, path: string): string[] {
  return [
    `POST /${path}/git-receive-pack HTTP/1.1`,
    `Authorization: token ${person.token}`,
    'Content-Type: application/x-git-receive-pack-request',
  ];
}

function cloneRequest(tip: string): Buffer {
  return Buffer.concat([pkt(`want ${tip} side-band-64k\n`), Buffer.from(FLUSH), pkt('done\n')]);
}

async function clone(t: TestContext, { forge, tip }: Stage): Promise<void> {
  const copy = join(await temporaryFolder(t), 'copy');
  await git('.', ['clone', '-q', '--bare', `${forge.url}/ada/engine.git`, copy]);
  assert.deepEqual(await refsOf(copy), [`refs/heads/main ${tip}`]);
}

test('H7: unfinished requests of fetches hold no process, and a clone works meanwhile', async (t) => {
  const at = await stage(t, 10);
  const sockets = await openSockets(t, at.forge, {
    count: SOCKETS,
    lines: fetchLines(),
    bytes: 1000,
    sent: Buffer.from('0032'),
  });
  await until(() => transfersOf(at.forge).requests.running === SOCKETS);
  assert.equal(transfersOf(at.forge).fetch.running, 0);
  if (LISTS_PROCESSES) {
    // Shortly after the push, a job reads the repository.
    const processes = await gitProcesses(at.forge.forge.dataFolder);
    const ofTransfers = processes.filter(({ command }) => !command.includes(' cat-file '));
    assert.deepEqual(ofTransfers, []);
  }
  await clone(t, at);
  for (const socket of sockets) socket.destroy();
  await untilNothingIsHeld(at.forge);
});

test('H7: clients that do not read their clones hold no process, and another clone works', async (t) => {
  const at = await stage(t, 20 * MIB);
  const request = cloneRequest(at.tip);
  const sockets = await openSockets(t, at.forge, {
    count: SOCKETS,
    lines: fetchLines(),
    bytes: request.length,
    sent: request,
  });
  await Promise.all(sockets.map((socket) => once(socket, 'readable')));
  const { responses, fetch, spools } = transfersOf(at.forge);
  await until(() => fetch.running === 0 && fetch.waiting === 0);
  assert.equal(responses.running, SOCKETS);
  assert.ok(spools.room.running > 0, 'the unread rest is in files');
  await clone(t, at);
  for (const socket of sockets) socket.destroy();
  await untilNothingIsHeld(at.forge);
});

test('H7: clients that do not read a large file hold no process', async (t) => {
  const at = await stage(t, 20 * MIB);
  const sockets = await openSockets(t, at.forge, {
    count: SOCKETS,
    lines: ['GET /ada/engine/raw/branch/main/random HTTP/1.1'],
    bytes: 0,
    sent: Buffer.alloc(0),
  });
  await Promise.all(sockets.map((socket) => once(socket, 'readable')));
  await until(() => PROCESS_SLOTS.stream.running === 0);
  assert.ok(transfersOf(at.forge).spools.room.running > 0, 'the unread rest is in files');
  if (LISTS_PROCESSES) {
    const processes = await gitProcesses(at.forge.forge.dataFolder);
    assert.deepEqual(
      processes.filter(({ command }) => command.includes('cat-file blob')),
      [],
    );
  }
  for (const socket of sockets) socket.destroy();
  await untilNothingIsHeld(at.forge);
});

test('H7: unfinished pushes hold no process, and the push of another account works', async (t) => {
  const at = await stage(t, 10);
  const bob = await at.forge.account('bob');
  await bob.repository('blocker');
  const command = { new: at.tip, ref: 'refs/heads/main' };
  const sockets = await openSockets(t, at.forge, {
    count: SOCKETS,
    lines: pushLines(bob, 'bob/blocker'),
    bytes: 100 * MIB,
    sent: pushBody({ commands: [command], pack: Buffer.from('PACK') }),
  });
  await until(() => transfersOf(at.forge).uploads.running === SOCKETS);
  assert.equal(transfersOf(at.forge).index.running, 0);
  const next = await commitAll(at.work, 'second');
  await git(at.work, ['push', '-q', at.ada.remote('ada/engine'), 'main']);
  assert.deepEqual(await refsOf(at.work, at.ada.remote('ada/engine')), [`refs/heads/main ${next}`]);
  for (const socket of sockets) socket.destroy();
  await untilNothingIsHeld(at.forge);
});

test('H7: one account cannot occupy all uploads', async (t) => {
  const at = await stage(t, 10);
  const bob = await at.forge.account('bob');
  await bob.repository('blocker');
  const { uploads } = transfersOf(at.forge);
  const sockets = await openSockets(t, at.forge, {
    count: 20,
    lines: pushLines(bob, 'bob/blocker'),
    bytes: 100 * MIB,
    sent: pushBody({ commands: [{ new: at.tip, ref: 'refs/heads/main' }], pack: Buffer.from('PACK') }),
  });
  await until(() => uploads.running + uploads.waiting === 20);
  assert.equal(uploads.running, 16);
  const next = await commitAll(at.work, 'second');
  await git(at.work, ['push', '-q', at.ada.remote('ada/engine'), 'main']);
  assert.deepEqual(await refsOf(at.work, at.ada.remote('ada/engine')), [`refs/heads/main ${next}`]);
  for (const socket of sockets) socket.destroy();
  await untilNothingIsHeld(at.forge);
});

test('H7: the server ends the connection of a client that sends or takes nothing', async (t) => {
  const at = await stage(t, 20 * MIB, { transferPatience: '60' });
  const settings: { patienceMs: number } = transfersOf(at.forge).settings;
  assert.equal(settings.patienceMs, 60_000);
  // The push of the stage had all of the patience.
  t.mock.property(settings, 'patienceMs', 1_000);
  const silent = [
    { lines: fetchLines(), sent: Buffer.from('0032') },
    {
      lines: pushLines(at.ada, 'ada/engine'),
      sent: pushBody({
        commands: [{ old: ZERO, new: at.tip, ref: 'refs/heads/x' }],
        pack: Buffer.from('PACK'),
      }),
    },
    { lines: pushLines(at.ada, 'ada/engine'), sent: Buffer.from('00') },
  ];
  for (const { lines, sent } of silent) {
    const [socket] = await openSockets(t, at.forge, { count: 1, lines, bytes: 1000, sent });
    socket?.resume();
    if (socket !== undefined) await once(socket, 'close');
  }
  await fillSpools(at.forge);
  const request = cloneRequest(at.tip);
  await openSockets(t, at.forge, {
    count: 1,
    lines: fetchLines(),
    bytes: request.length,
    sent: request,
  });
  const { responses, fetch } = transfersOf(at.forge);
  await until(() => responses.running === 1);
  await until(() => responses.running === 0 && fetch.running === 0);
  if (LISTS_PROCESSES) assert.deepEqual(await uploadsOf(at.forge), []);
});

async function uploadsOf(forge: TestForge): Promise<readonly string[]> {
  const running = await gitProcesses(forge.forge.dataFolder);
  return running.map(({ command }) => command).filter((command) => /upload-pack|pack-objects/.test(command));
}

test('H7: a push of 2,000 unknown commits costs a few processes', async (t) => {
  const at = await stage(t, 10);
  const commands = unknownCommits(2_000);
  const fine = { new: at.tip, ref: 'refs/heads/fine' };
  const started = watchProcesses(t);
  const answer = await sendGit(at.forge.url, 'ada/engine/git-receive-pack', {
    as: { token: at.ada.token },
    body: pushBody({ commands: [...commands, fine], pack: emptyPack() }),
  });
  const report = pktLines(answer.bytes);
  assert.deepEqual(report.slice(0, 2), ['unpack ok', 'ng refs/heads/branch-0 missing necessary objects']);
  assert.equal(report.filter((line) => line.startsWith('ng ')).length, 2_000);
  assert.ok(report.includes('ok refs/heads/fine'));
  assert.ok(started().length < 10, `${started().length} processes`);
});

test('H7: a push of many unknown commits creates the folder of its repository once', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const folders = await watchFolders(t, forge, await forge.firstRepository());
  const answer = await sendGit(forge.url, 'ada/engine/git-receive-pack', {
    as: { token: ada.token },
    body: pushBody({ commands: unknownCommits(200), pack: emptyPack() }),
  });
  assert.equal(pktLines(answer.bytes).filter((line) => line.startsWith('ng ')).length, 200);
  assert.equal((await folders()).length, 1);
});

function unknownCommits(count: number): { new: string; ref: string }[] {
  return Array.from({ length: count }, (_, number) => ({
    new: number.toString(16).padStart(40, 'a'),
    ref: `refs/heads/branch-${number}`,
  }));
}

/**
 * Watches the folders that the server fills for a repository, the first of which it moves to its place.
 *
 * @returns a function that lists them
 */
async function watchFolders(
  t: TestContext,
  { forge }: TestForge,
  repositoryId: number,
): Promise<() => Promise<readonly string[]>> {
  const parent = dirname(RepositoryFolder.of(join(forge.dataFolder, 'git'), repositoryId).path);
  await mkdir(parent, { recursive: true });
  const names = new Set<string>();
  const watcher = watch(parent, (_, name) => names.add(name ?? ''));
  t.after(() => watcher.close());
  return async () => {
    // The system reports names in the order of their changes.
    await writeFile(join(parent, 'last'), '');
    await until(() => names.has('last'));
    return [...names].filter((name) => name.includes('.new-'));
  };
}

/** Creates a repository where git compresses large files once, for the commit and its push, and never as differences. */
async function workingCopyOfZeros(t: TestContext): Promise<string> {
  const folder = await workingCopy(t);
  await git(folder, ['config', 'core.bigFileThreshold', '1m']);
  return folder;
}

test('H1: a small pack of zeros is rejected before git reads it, with the reason', async (t) => {
  const at = await stage(t, 10, { pushObjectMib: '16' });
  const { index } = transfersOf(at.forge);
  const work = await workingCopyOfZeros(t);
  // Each file is below the limit of one object.
  for (const number of [1, 2, 3])
    await writeFile(join(work, `zeros-${number}`), Buffer.alloc(15 * MIB - number));
  await commitAll(work, 'zeros');
  const started = watchProcesses(t);
  const pushed = await tryGit(work, ['push', '-q', at.ada.remote('ada/engine'), 'main:zeros']);
  assert.match(pushed.stderr, /unpack failed: the pack unpacks to more than \d\d MiB/);
  const second = await workingCopyOfZeros(t);
  await writeFile(join(second, 'zeros'), Buffer.alloc(17 * MIB));
  await commitAll(second, 'more zeros');
  const larger = await tryGit(second, ['push', '-q', at.ada.remote('ada/engine'), 'main:zeros']);
  assert.match(larger.stderr, /unpack failed: an object in the pack unpacks to more than 16 MiB/);
  assert.deepEqual(
    started().filter((command) => command.includes('index-pack')),
    [],
  );
  assert.equal(index.running, 0);
  await untilNothingIsHeld(at.forge);
});
