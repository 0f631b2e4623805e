import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { FairSlots } from '../../../src/base/core/fairness/fair-slots.ts';
import type { FileSpace } from '../../../src/base/core/spool/nameless-file.ts';
import { Received } from '../../../src/base/core/spool/received.ts';
import { MeterThread, ReceivedMeter } from '../../../src/git/packs/metering.ts';
import { slotsFor } from '../../../src/git/processes/process-slots.ts';
import { afterTest } from '../../support/after-test.ts';
import { temporaryFolder } from '../../support/git/git.ts';
import { ENTRY, handmadePack } from './handmade-packs.ts';

// Runs once: no outcome depends on the database.

const KIB = 1024;
const MIB = 1024 * KIB;
const CHUNK_BYTES = 64 * KIB;
const LIMITS = { objectBytesMax: 2 * MIB, pushBytesMax: 20 * MIB };

interface Stage {
  readonly thread: MeterThread;
  readonly space: FileSpace;
  /** Receives a pack and measures it. */
  measure(pack: Buffer): Promise<void>;
}

async function stage(t: TestContext): Promise<Stage> {
  const thread = new MeterThread();
  afterTest(t, () => thread.close());
  const room = new FairSlots({
    what: 'bytes',
    unitsMax: 1000,
    unitsPerCallerMax: 1000,
    unitsForSignedIn: 0,
    queueMax: 0,
    queuePerCallerMax: 0,
    waitMs: 0,
  });
  const space = { folder: await temporaryFolder(t), room };
  const turns = slotsFor('pushes', 2);
  const measure = async (pack: Buffer) => {
    await using received = new Received(space, { memoryBytesMax: 256 * KIB });
    await using meter = new ReceivedMeter(received, { format: 'sha1', limits: LIMITS, turns, thread });
    for (let at = 0; at < pack.length; at += CHUNK_BYTES) {
      const chunk = pack.subarray(at, at + CHUNK_BYTES);
      await received.append(chunk);
      await meter.follow();
    }
    await received.flush();
    await meter.finish();
  };
  return { thread, space, measure };
}

/** Builds a pack of about this many MiB, whose last object claims `lastSize` bytes instead of 1,000. */
function packOfMib(mib: number, lastSize = 1000): Buffer {
  const random = Array.from({ length: mib * 4 }, (_, number) => ({
    type: ENTRY.blob,
    content: randomBytes(number % 4 === 0 ? MIB - 3 * KIB : KIB),
    level: 0,
  }));
  return handmadePack([...random, { type: ENTRY.blob, size: lastSize, content: randomBytes(1000) }]);
}

test('a pack in a file is measured to its end', async (t) => {
  const { measure } = await stage(t);
  const pack = packOfMib(12);
  await measure(pack);
  await measure(pack.subarray(0, 100 * KIB)).then(
    () => assert.fail('a part of it passes'),
    (error: Error) => assert.match(error.message, /the pack ended early/),
  );
  for (const bytes of [MIB, 9 * MIB, pack.length - 1000]) {
    await assert.rejects(measure(pack.subarray(0, bytes)), /the pack ended early/);
  }
  await assert.rejects(measure(packOfMib(3, 999)), /not as long as its size says/);
});

test('a pack in a file is rejected for its limits with the reason and the kind', async (t) => {
  const { measure } = await stage(t);
  const zeros = { type: ENTRY.blob, content: Buffer.alloc(2 * MIB) };
  const random = { type: ENTRY.blob, content: randomBytes(600 * KIB) };
  const pack = handmadePack([random, ...Array.from({ length: 12 }, () => zeros)]);
  await assert.rejects(measure(pack), (error: Error & { failure?: { kind: string } }) => {
    assert.match(error.message, /the pack unpacks to more than \d+ MiB/);
    assert.equal(error.failure?.kind, 'too_large');
    return true;
  });
  await measure(handmadePack([random, zeros]));
});

test('packs that are measured at the same time do not affect each other', async (t) => {
  const { measure } = await stage(t);
  const good = packOfMib(6);
  const packs = [good, packOfMib(6, 999), good, good.subarray(0, 4 * MIB), good];
  const results = await Promise.allSettled(packs.map((pack) => measure(pack)));
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? 'measured' : result.reason.message)),
    [
      'measured',
      'the pack has an object that is not as long as its size says',
      'measured',
      'the pack ended early',
      'measured',
    ],
  );
});

test('a pack is measured again from its start after the thread has ended', async (t) => {
  const { thread, space } = await stage(t);
  for (const [pack, problem] of [
    [packOfMib(3), undefined],
    [packOfMib(3, 999), /not as long as its size says/],
  ] as const) {
    await using received = new Received(space, { memoryBytesMax: 0 });
    await received.append(pack);
    const file = received.file?.descriptor ?? assert.fail();
    const { id, end } = thread.begin();
    const measure = async (upTo: number, isEnd: boolean) => {
      const work = { id, file, format: 'sha1', limits: LIMITS, upTo, isEnd } as const;
      for (let readTo = 0; readTo < upTo; ) ({ readTo } = await thread.measure(work));
    };
    await measure(MIB, false);
    await thread.close();
    if (problem === undefined) await measure(pack.length, true);
    else await assert.rejects(measure(pack.length, true), problem);
    end();
  }
});
