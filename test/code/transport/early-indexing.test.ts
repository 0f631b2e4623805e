import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { GIT_LIMITS } from '../../../src/git/limits.ts';
import { blobOid, ENTRY, type HandmadeEntry, handmadePack } from '../../git/packs/handmade-packs.ts';
import { afterTest } from '../../support/after-test.ts';
import { endLeases } from '../../support/database/job-leases.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { commitAll, git, objectsOf, refsOf, temporaryFolder, workingCopy } from '../../support/git/git.ts';
import { watchProcesses } from '../../support/git/started-processes.ts';
import { head } from '../../support/http/raw.ts';
import { until } from '../../support/until.ts';
import { quarantinesOf, untilNothingIsLeft } from './quarantines.ts';
import {
  createRepository,
  gitProcesses,
  LISTS_PROCESSES,
  placeOf,
  startServerProcess,
} from './server-process.ts';
import { transfersOf, untilNothingIsHeld } from './transfers.ts';
import { packOf, pushBody } from './wire.ts';

// Runs once: no outcome depends on the database.

/** Of a pack that the server does not keep in memory: git reads a pack early only from a file. */
const LARGE_BYTES = 4 * GIT_LIMITS.spoolMemoryBytesMax;
/** What a test sends last: at least the checksum of the pack. */
const LAST_BYTES = 1000;
const REF = 'refs/heads/main';

interface Stage {
  readonly forge: TestForge;
  readonly ada: Person;
}

/** Starts a forge with one slot for pushes, and an empty repository. By default, a sender may pause for long. */
async function stage(t: TestContext, { patienceMs = 60_000 } = {}): Promise<Stage> {
  const limits: { earlyIndexPatienceMs: number } = GIT_LIMITS;
  t.mock.property(limits, 'earlyIndexPatienceMs', patienceMs);
  const forge = await startForge(t, { settings: { pushSlots: '1' } });
  const ada = await forge.account('ada');
  await ada.repository('engine');
  return { forge, ada };
}

/** Makes a history of about this many random bytes, in files of 200 KB. */
async function historyOf(t: TestContext, bytes: number): Promise<{ work: string; tip: string }> {
  const work = await workingCopy(t);
  await git(work, ['config', 'core.compression', '0']);
  for (let number = 0; number * 200_000 < bytes; number += 1) {
    await writeFile(join(work, `random-${number}`), randomBytes(200_000));
  }
  return { work, tip: await commitAll(work, 'first') };
}

async function bodyOf({ work, tip }: { work: string; tip: string }): Promise<Buffer> {
  return pushBody({ commands: [{ new: tip, ref: REF }], pack: await packOf(work, [tip]) });
}

/** A push that a test sends piece by piece. */
interface SlowPush {
  readonly socket: Socket;
  /** Sends the body up to this position; negative: counted from its end. */
  sendTo(end: number): void;
  /** Sends the rest, and returns the report. */
  finish(): Promise<string>;
}

function beginPush(
  t: TestContext,
  to: { url: string; path: string; authorization: string },
  body: Buffer,
): SlowPush {
  const { url, path, authorization } = to;
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  afterTest(t, () => socket.destroy());
  let answer = '';
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString('latin1');
  });
  const lines = [
    `POST /${path}/git-receive-pack HTTP/1.1`,
    `Authorization: ${authorization}`,
    'Content-Type: application/x-git-receive-pack-request',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  socket.write(head(lines));
  let sent = 0;
  const sendTo = (end: number) => {
    const piece = body.subarray(sent, end);
    sent += piece.length;
    socket.write(piece);
  };
  const finish = async () => {
    sendTo(body.length);
    await until(() => socket.closed);
    return answer.slice(answer.indexOf('unpack '));
  };
  return { socket, sendTo, finish };
}

function pushOf(t: TestContext, { forge, ada }: Stage, body: Buffer): SlowPush {
  return beginPush(t, { url: forge.url, path: 'ada/engine', authorization: `token ${ada.token}` }, body);
}

/** Sends all but the last bytes, and waits until git has begun to index them. */
async function untilIndexing({ forge }: Stage, push: SlowPush): Promise<void> {
  push.sendTo(-LAST_BYTES);
  await until(() => transfersOf(forge).index.running === 1);
}

async function assertPushed(t: TestContext, { ada }: Stage, { work, tip }: { work: string; tip: string }) {
  const remote = ada.remote('ada/engine');
  assert.deepEqual(await refsOf(work, remote), [`${REF} ${tip}`]);
  const copy = join(await temporaryFolder(t), 'copy');
  await git('.', ['clone', '-q', '--bare', remote, copy]);
  assert.deepEqual(await objectsOf(copy), await objectsOf(work));
}

async function assertClean(at: Stage): Promise<void> {
  await untilNothingIsLeft(at.forge);
  await untilNothingIsHeld(at.forge);
  assert.deepEqual(await packFilesOf(at.forge.forge.dataFolder), []);
  const id = await at.forge.firstRepository();
  const { problems } = await at.forge.forge.running.engines.git.upkeep.verify(id);
  assert.deepEqual(problems, []);
}

/** Lists the files of packs in the repositories of a data folder. */
async function packFilesOf(dataFolder: string): Promise<string[]> {
  const files = await readdir(join(dataFolder, 'git'), { recursive: true });
  return files.filter((file) => /objects.pack.(?:pack-|tmp_)/.test(file));
}

test('git begins to index a large pack before its last bytes have arrived, and once', async (t) => {
  const at = await stage(t);
  const history = await historyOf(t, LARGE_BYTES);
  const started = watchProcesses(t);
  const push = pushOf(t, at, await bodyOf(history));
  await untilIndexing(at, push);
  const indexing = () => started().filter((command) => command.includes('index-pack'));
  await until(() => indexing().length === 1);
  assert.match(await push.finish(), /^unpack ok\n.*ok refs\/heads\/main\n/);
  assert.equal(indexing().length, 1);
  await assertPushed(t, at, history);
});

test('a push that waits for a slot takes that of a pack which still arrives, and both succeed', async (t) => {
  const at = await stage(t);
  const history = await historyOf(t, LARGE_BYTES);
  const push = pushOf(t, at, await bodyOf(history));
  await untilIndexing(at, push);
  const bob = await at.forge.account('bob');
  await bob.repository('other');
  const other = await historyOf(t, 300_000);
  const remote = bob.remote('bob/other');
  await git(other.work, ['push', '-q', remote, 'main']);
  assert.deepEqual(await refsOf(other.work, remote), [`${REF} ${other.tip}`]);
  assert.equal(transfersOf(at.forge).index.running, 0);
  assert.match(await push.finish(), /^unpack ok\n.*ok refs\/heads\/main\n/);
  await assertPushed(t, at, history);
  await untilNothingIsHeld(at.forge);
  const left = (await packFilesOf(at.forge.forge.dataFolder)).filter((file) => file.includes('tmp_'));
  assert.deepEqual(left, []);
});

test('H7: a pack whose sender stalls holds no slot, and is indexed when the rest has arrived', async (t) => {
  const at = await stage(t, { patienceMs: GIT_LIMITS.earlyIndexPatienceMs });
  const history = await historyOf(t, LARGE_BYTES);
  const push = pushOf(t, at, await bodyOf(history));
  await untilIndexing(at, push);
  await until(() => transfersOf(at.forge).index.running === 0);
  if (LISTS_PROCESSES) assert.deepEqual(await indexingIn(at.forge.forge.dataFolder), []);
  assert.match(await push.finish(), /^unpack ok\n.*ok refs\/heads\/main\n/);
  await assertPushed(t, at, history);
});

async function indexingIn(dataFolder: string): Promise<readonly string[]> {
  const running = await gitProcesses(dataFolder);
  return running.map(({ command }) => command).filter((command) => command.includes('index-pack'));
}

test('git ends when the sender of the pack that it indexes leaves', async (t) => {
  const at = await stage(t);
  const push = pushOf(t, at, await bodyOf(await historyOf(t, LARGE_BYTES)));
  await untilIndexing(at, push);
  push.socket.destroy();
  await assertClean(at);
  if (LISTS_PROCESSES) assert.deepEqual(await indexingIn(at.forge.forge.dataFolder), []);
});

/** Returns bytes that do not compress and are the same in each run, so that a checksum is, which git may take for an object. */
function noise(seed: number, bytes: number): Buffer {
  return createHash('shake256', { outputLength: bytes }).update(`${seed}`).digest();
}

/** Builds packs of over 1 MiB that are broken in their last part, and says which tip a push of them names. */
function brokenPacks(): readonly { what: string; pack: Buffer; tip: string }[] {
  const blobs: HandmadeEntry[] = Array.from({ length: 6 }, (_, number) => ({
    type: ENTRY.blob,
    content: noise(number, 200_000),
  }));
  const last = noise(6, 3000);
  const entries = [...blobs, { type: ENTRY.blob, content: last }];
  const tip = blobOid(last);
  const pack = handmadePack(entries);
  const tree = {
    type: ENTRY.tree,
    content: Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(tip, 'hex')]),
  };
  const changed = (position: number) => {
    const copy = Buffer.from(pack);
    copy[copy.length + position] = (copy.at(position) ?? 0) ^ 0x10;
    return copy;
  };
  return [
    { what: 'a changed byte', pack: changed(-500), tip },
    { what: 'a wrong checksum', pack: changed(-1), tip },
    { what: 'too high a count', pack: handmadePack(entries, entries.length + 1), tip },
    { what: 'too low a count', pack: handmadePack(entries, entries.length - 1), tip },
    { what: 'a cut object', pack: pack.subarray(0, -200), tip },
    { what: 'a cut checksum', pack: pack.subarray(0, -5), tip },
    { what: 'bytes after the checksum', pack: Buffer.concat([pack, Buffer.from('more')]), tip },
    { what: 'a tree that git rejects', pack: handmadePack([...entries, tree]), tip },
  ];
}

test('a broken pack is rejected with the same reason, whether git reads it early or not', async (t) => {
  const at = await stage(t);
  const { index } = transfersOf(at.forge);
  const reasons: string[] = [];
  for (const { what, pack, tip } of brokenPacks()) {
    const body = pushBody({ commands: [{ new: tip, ref: 'refs/tags/broken' }], pack });
    const leave = await index.enter();
    const late = pushOf(t, at, body);
    const said = late.finish();
    // Some packs are rejected before git has to read them.
    await until(() => index.waiting === 1 || late.socket.closed);
    leave();
    const reason = await said;
    const early = pushOf(t, at, body);
    await untilIndexing(at, early);
    assert.equal(await early.finish(), reason, what);
    reasons.push(/^unpack (.*)$/m.exec(reason)?.[1] ?? '');
    await assertClean(at);
  }
  assert.deepEqual(
    reasons.map((reason) => reason.replace(/[0-9a-f]{40}/, 'OID')),
    [
      'the pack has a broken object',
      'pack is corrupted (SHA1 mismatch)',
      'the pack ended early',
      'pack is corrupted (SHA1 mismatch)',
      'the pack ended early',
      'early EOF',
      'pack has junk at the end',
      "object OID: hasDotgit: contains '.git'; fsck error in packed object",
    ],
  );
});

/** Begins pushes of all but the last bytes, until git is seen that reads one before the server gives it up. */
async function untilServerIndexes(dataFolder: string, begin: () => SlowPush): Promise<void> {
  for (let isIndexing = false; !isIndexing; ) {
    const push = begin();
    push.sendTo(-LAST_BYTES);
    const giveUpAt = performance.now() + GIT_LIMITS.earlyIndexPatienceMs;
    await until(async () => {
      isIndexing = (await indexingIn(dataFolder)).length > 0;
      return isIndexing || performance.now() > giveUpAt;
    });
    if (!isIndexing) push.socket.destroy();
  }
}

test('a crash while git reads an arriving pack leaves nothing that counts', {
  skip: !LISTS_PROCESSES,
}, async (t) => {
  const server = await startServerProcess(t);
  await createRepository(server, 'engine');
  const { work, tip } = await historyOf(t, LARGE_BYTES);
  const body = await bodyOf({ work, tip });
  const authorization = `Basic ${Buffer.from(`root:${server.admin.password}`).toString('base64')}`;
  const begin = () => beginPush(t, { url: server.url, path: 'root/engine', authorization }, body);
  await untilServerIndexes(server.dataFolder, begin);
  server.running.child.kill('SIGKILL');
  await server.running.ended();
  await until(async () => (await gitProcesses(server.dataFolder)).length === 0);
  await endLeases(server);
  const forge = await startForge(t, placeOf(server));
  const { git: storage } = forge.forge.running.engines;
  assert.deepEqual((await storage.upkeep.verify(1)).problems, []);
  await storage.upkeep.sweep(-1);
  assert.deepEqual(await quarantinesOf(forge), []);
  assert.deepEqual(await packFilesOf(server.dataFolder), []);
});
