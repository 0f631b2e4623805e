import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import type { FairSlots } from '../../../src/base/core/fairness/fair-slots.ts';
import { GIT_LIMITS } from '../../../src/git/limits.ts';
import { PROCESS_SLOTS } from '../../../src/git/processes/process-slots.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { resourcesOf } from '../../support/git-folder.ts';
import { until } from '../../support/until.ts';
import { begin, download } from '../archives/archives.ts';
import { pushedRepository, rawOf } from './files.ts';

// Runs once: no outcome depends on the database.

const READERS = 4;
const LARGE = rawOf('ada/engine', 'large');

async function stage(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const large = randomBytes(12 * 1024 * 1024);
  await pushedRepository(t, ada, 'engine', { large }, { compression: 0 });
  const { mock } = t.mock.method(PROCESS_SLOTS.stream, 'enter');
  const readings = () => mock.callCount();
  const { spools, sharedBlobs } = resourcesOf(forge.forge.running.engines.git);
  return { forge, large, readings, spools: spools.room, room: sharedBlobs.room };
}

/** Reads the file with many clients at once. */
async function readAtOnce(forge: TestForge): Promise<readonly Buffer[]> {
  const answers = await Promise.all(Array.from({ length: READERS }, () => download(forge, LARGE)));
  return answers.map(({ status, bytes }) => (status === 200 ? bytes : Buffer.alloc(0)));
}

/** Takes the rest of some disk space. @returns a function that gives it back */
async function fill(room: FairSlots, mib: number): Promise<() => void> {
  const leaves: (() => void)[] = [];
  while (room.running < mib) leaves.push(await room.enter({ units: Math.min(1024, mib - room.running) }));
  return () => {
    for (const leave of leaves) leave();
  };
}

test('many readers of a large file share a reading with a slow one, and each gets all of it', async (t) => {
  const { forge, large, readings, spools, room } = await stage(t);
  const free = await fill(spools, GIT_LIMITS.spoolMibMax);
  const first = await begin(forge, LARGE);
  const slow = await begin(forge, LARGE);
  assert.equal(readings(), 2);

  for (const bytes of await readAtOnce(forge)) assert.ok(bytes.equals(large));
  const part = await download(forge, LARGE, { headers: { range: 'bytes=12000000-12000099' } });
  assert.ok(part.bytes.equals(large.subarray(12_000_000, 12_000_100)));

  assert.equal(readings(), 2, 'all of them share one');
  assert.ok((await buffer(slow)).equals(large));
  free();
  assert.ok((await buffer(first)).equals(large));
  await until(() => room.running === 0);
});

test('a shared large file is freed when its last reader has left, also before all of it is read', async (t) => {
  const { forge, room } = await stage(t);
  const readers = [await begin(forge, LARGE), await begin(forge, LARGE), await begin(forge, LARGE)];
  assert.ok(room.running >= 12, 'there is room for all of it');

  for (const reader of readers) reader.destroy();

  await until(() => room.running === 0 && PROCESS_SLOTS.stream.running === 0);
});

test('each reader of a large file reads it alone if it is too large to share or if there is no room', async (t) => {
  const { forge, large, readings, room } = await stage(t);
  const limits: { sharedBlobBytesMax: number } = GIT_LIMITS;
  const { mock } = t.mock.property(limits, 'sharedBlobBytesMax', large.length - 1);
  const first = await begin(forge, LARGE);

  for (const bytes of await readAtOnce(forge)) assert.ok(bytes.equals(large));
  assert.equal(readings(), 1 + READERS, 'it is too large');

  mock.restore();
  await fill(room, GIT_LIMITS.sharedBlobsMibMax);
  for (const bytes of await readAtOnce(forge)) assert.ok(bytes.equals(large));
  assert.equal(readings(), 1 + 2 * READERS, 'there is no room');
  first.destroy();
});
