import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { FairSlots } from '../../../src/base/core/fairness/fair-slots.ts';
import type { FileSpace } from '../../../src/base/core/spool/nameless-file.ts';
import { Received } from '../../../src/base/core/spool/received.ts';
import { Spool } from '../../../src/base/core/spool/spool.ts';
import { afterTest } from '../../support/after-test.ts';
import { temporaryFolder } from '../../support/git/git.ts';
import { until } from '../../support/until.ts';

// Runs once: no outcome depends on the database.

const KIB = 1024;
const MIB = 1024 * KIB;

async function spaceOf(t: TestContext, mib = 100): Promise<FileSpace> {
  const room = new FairSlots({
    what: 'bytes',
    unitsMax: mib,
    unitsPerCallerMax: mib,
    unitsForSignedIn: 0,
    queueMax: 0,
    queuePerCallerMax: 0,
    waitMs: 0,
  });
  return { folder: await temporaryFolder(t), room };
}

function spoolIn(t: TestContext, space: FileSpace, fileBytesMax = 100 * MIB): Spool {
  const spool = new Spool(space, { memoryBytesMax: 128 * KIB, fileBytesMax, patienceMs: 1 });
  afterTest(t, () => spool.destroy(new Error('the test has ended')));
  return spool;
}

/** Writes chunks and ends the spool. Returns how many chunks are written so far. */
function fill(spool: Spool, chunks: readonly Buffer[]) {
  const progress = { written: 0 };
  const write = async () => {
    for (const chunk of chunks) {
      await spool.write(chunk);
      progress.written += 1;
    }
    spool.end();
  };
  return { progress, done: write() };
}

const chunksOf = (count: number) => Array.from({ length: count }, () => randomBytes(64 * KIB));

async function readAll(spool: Spool): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of spool.read()) pieces.push(piece);
  return Buffer.concat(pieces);
}

test('a writer ends before its reader starts, and the reader gets all bytes in order', async (t) => {
  const space = await spaceOf(t);
  const spool = spoolIn(t, space);
  const chunks = chunksOf(50);
  await fill(spool, chunks).done;
  assert.deepEqual(await readdir(space.folder), [], 'the file has no name');
  assert.ok(space.room.running > 0);
  assert.ok((await readAll(spool)).equals(Buffer.concat(chunks)));
  await spool.destroy(new Error('read'));
  assert.equal(space.room.running, 0);
});

test('a full spool holds its writer until the reader has taken everything', async (t) => {
  const space = await spaceOf(t);
  const spool = spoolIn(t, space, MIB);
  const chunks = chunksOf(60);
  const { progress, done } = fill(spool, chunks);
  // Two chunks are in memory and 16 in the file.
  await until(() => progress.written === 18);
  const read = readAll(spool);
  await done;
  assert.ok((await read).equals(Buffer.concat(chunks)));
});

test('without disk space, a writer waits for its reader instead of failing', async (t) => {
  const space = await spaceOf(t, 1);
  const leave = await space.room.enter();
  const spool = spoolIn(t, space);
  const chunks = chunksOf(20);
  const { progress, done } = fill(spool, chunks);
  await until(() => progress.written === 2);
  const read = readAll(spool);
  await done;
  assert.ok((await read).equals(Buffer.concat(chunks)));
  leave();
});

test('a destroyed spool ends its writer and its reader, and frees its space', async (t) => {
  const space = await spaceOf(t);
  const spool = spoolIn(t, space, MIB);
  const { progress, done } = fill(spool, chunksOf(60));
  const writing = assert.rejects(done, /gone/);
  await until(() => progress.written === 18);
  await spool.destroy(new Error('gone'));
  await writing;
  await assert.rejects(readAll(spool), /gone/);
  await until(() => space.room.running === 0);
});

test('received bytes can be read again, from memory and from a file', async (t) => {
  const space = await spaceOf(t, 4);
  for (const count of [1, 30]) {
    const chunks = chunksOf(count);
    await using received = new Received(space, { memoryBytesMax: 128 * KIB });
    for (const chunk of chunks) await received.append(chunk);
    for (let pass = 0; pass < 2; pass += 1) {
      const pieces: Buffer[] = [];
      for await (const piece of received.read()) pieces.push(piece);
      assert.ok(Buffer.concat(pieces).equals(Buffer.concat(chunks)));
    }
  }
  assert.equal(space.room.running, 0);
});

test('received bytes go to the file together, and free their chunks there', async (t) => {
  const space = await spaceOf(t, 4);
  await using received = new Received(space, { memoryBytesMax: 128 * KIB, freesChunks: true });
  const own = Array.from({ length: 7 }, () => Buffer.allocUnsafeSlow(64 * KIB).fill('x'));
  const whole = Buffer.alloc(128 * KIB, 'y');
  const parts = [whole.subarray(0, 64 * KIB), whole.subarray(64 * KIB)];
  for (const chunk of [...own, ...parts]) await received.append(chunk);
  assert.deepEqual([received.size / KIB, (received.file?.size ?? 0) / KIB], [576, 576]);
  assert.deepEqual(new Set(own.map((chunk) => chunk.length)), new Set([0]));
  assert.deepEqual(new Set(whole), new Set([0x79]), 'parts of another buffer stay');
  for (let count = 0; count < 1000; count += 1) await received.append(Buffer.from('z'));
  assert.ok((received.file?.size ?? 0) > 576 * KIB, 'few chunks wait, even if they are small');
  await received.flush();
  assert.equal(received.file?.size, received.size);
  const pieces: Buffer[] = [];
  for await (const piece of received.read()) pieces.push(piece);
  const expected = Buffer.concat([Buffer.alloc(448 * KIB, 'x'), whole, Buffer.alloc(1000, 'z')]);
  assert.ok(Buffer.concat(pieces).equals(expected));
});

test('received bytes beyond the disk space of their caller are rejected', async (t) => {
  const space = await spaceOf(t, 1);
  await using received = new Received(space, { memoryBytesMax: 128 * KIB });
  const append = async () => {
    for (const chunk of chunksOf(20)) await received.append(chunk);
  };
  await assert.rejects(append(), { message: /too many bytes at once/ });
});
