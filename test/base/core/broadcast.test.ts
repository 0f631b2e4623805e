import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { FairSlots } from '../../../src/base/core/fairness/fair-slots.ts';
import { Broadcast } from '../../../src/base/core/spool/broadcast.ts';
import { MIB } from '../../../src/base/core/spool/nameless-file.ts';
import { temporaryFolder } from '../../support/git/git.ts';

// Runs once: no outcome depends on the database.

async function stage(t: TestContext, memoryBytesMax: number) {
  const room = new FairSlots({
    what: 'bytes',
    unitsMax: 10,
    unitsPerCallerMax: 10,
    unitsForSignedIn: 0,
    queueMax: 0,
    queuePerCallerMax: 0,
    waitMs: 0,
  });
  const folder = join(await temporaryFolder(t), 'spool');
  return { room, folder, bytes: new Broadcast({ folder, room }, { memoryBytesMax, noticeBytes: 1 }) };
}

const textOf = async (bytes: Broadcast) => (await buffer(bytes.read())).toString();

for (const memoryBytesMax of [0, 5, 100]) {
  test(`each reader of a broadcast gets all bytes, whenever it begins (${memoryBytesMax} in memory)`, async (t) => {
    const { bytes } = await stage(t, memoryBytesMax);
    const early = textOf(bytes);
    await bytes.append(Buffer.from('one '));
    const middle = bytes.read();
    assert.equal((await middle.next()).value?.toString(), 'one ');
    await bytes.append(Buffer.from('two '));
    await bytes.append(Buffer.from('three'));
    bytes.end();

    assert.equal(await early, 'one two three');
    assert.equal((await buffer(middle)).toString(), 'two three');
    assert.equal(await textOf(bytes), 'one two three');
    assert.equal(bytes.size, 13);
    await bytes.close();
  });
}

test('readers of a broadcast that fails get what was written, and then its error', async (t) => {
  const { bytes } = await stage(t, 0);
  const reader = bytes.read();
  await bytes.append(Buffer.from('one'));
  const waiting = bytes.read();
  await waiting.next();
  const rest = waiting.next();
  bytes.fail(new Error('no more'));

  await assert.rejects(rest, /no more/);
  assert.equal((await reader.next()).value?.toString(), 'one');
  await assert.rejects(reader.next(), /no more/);
  await bytes.close();
});

test('the disk space for announced bytes is taken at once or not at all', async (t) => {
  const { bytes, room, folder } = await stage(t, 0);
  const leave = await room.enter({ units: 8 });
  await assert.rejects(bytes.reserve(3 * MIB), /too many bytes at once/);
  assert.equal(room.running, 8);
  leave();

  await bytes.reserve(3 * MIB);
  assert.equal(room.running, 3);
  await bytes.append(Buffer.alloc(3 * MIB));
  assert.equal(room.running, 3);
  await bytes.append(Buffer.alloc(1));
  assert.equal(room.running, 4);

  assert.deepEqual(await readdir(folder), []);
  await bytes.close();
  assert.equal(room.running, 0);
});

test('the file of a closed broadcast goes with its last reader', async (t) => {
  const { bytes, room, folder } = await stage(t, 0);
  await bytes.append(Buffer.from('one'));
  bytes.end();
  const reader = bytes.read();
  await reader.next();
  assert.deepEqual(await readdir(folder), []);
  assert.equal(room.running, 1);

  await bytes.close();
  assert.equal(room.running, 1);
  await reader.return(undefined);

  assert.equal(room.running, 0);
});
