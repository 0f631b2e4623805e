import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { PackMeter } from '../../../src/git/packs/pack-meter.ts';
import { packOf } from '../../code/transport/wire.ts';
import { commitAll, git, gitBytes, workingCopy } from '../../support/git/git.ts';
import { numberOf } from './handmade-packs.ts';

// Runs once: no outcome depends on the database.

const MIB = 1024 * 1024;
const COMMIT = 1;
const BLOB = 3;
const REFERENCE_DELTA = 7;

/** Builds a pack of handmade objects. `size` is what the pack claims. */
function handmadePack(objects: readonly { type: number; size?: number; content: Buffer }[]): Buffer {
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  header.writeUInt32BE(objects.length, 8);
  const entries = objects.map(({ type, size, content }) =>
    Buffer.concat([
      numberOf(size ?? content.length, type),
      type === REFERENCE_DELTA ? Buffer.alloc(20, 1) : Buffer.alloc(0),
      deflateSync(content),
    ]),
  );
  return Buffer.concat([header, ...entries, Buffer.alloc(20)]);
}

function delta(resultBytes: number): Buffer {
  return Buffer.concat([numberOf(100), numberOf(resultBytes), Buffer.from([0x90, 0x01])]);
}

async function measure(
  pack: Buffer,
  options: { objectMib?: number; pushMib?: number; pieceBytes?: number } = {},
): Promise<void> {
  const { objectMib = 10, pushMib = 100, pieceBytes = 64 * 1024 } = options;
  const limits = { objectBytesMax: objectMib * MIB, pushBytesMax: pushMib * MIB };
  const meter = new PackMeter('sha1', limits, (work) => work());
  for (let at = 0; at < pack.length; at += pieceBytes) await meter.add(pack.subarray(at, at + pieceBytes));
  await meter.finish();
}

test('packs of git pass, in pieces of any size', async (t) => {
  const work = await workingCopy(t);
  const lines = Array.from(
    { length: 5_000 },
    (_, number) => `line ${number} ${randomBytes(8).toString('hex')}`,
  );
  for (const round of [1, 2, 3]) {
    lines[round * 100] = `changed in ${round}`;
    await writeFile(join(work, 'text'), lines.join('\n'));
    await writeFile(join(work, `random-${round}`), randomBytes(300_000));
    await writeFile(join(work, 'empty'), '');
    await commitAll(work, `commit ${round}`);
  }
  await git(work, ['tag', '-a', '-m', 'tag', 'v1']);
  const whole = await packOf(work, ['HEAD', 'v1']);
  const thin = await gitBytes(work, ['pack-objects', '--stdout', '--revs', '--thin', '-q'], {
    input: 'HEAD\n^HEAD~1\n',
  });
  for (const pieceBytes of [13, 1000, 65536, 1e7]) {
    await measure(whole, { pieceBytes });
    await measure(thin, { pieceBytes });
  }
});

test('a pack is measured up to the end of an object, and never beyond its last one', async () => {
  const first = { type: BLOB, content: randomBytes(1000) };
  const large = { type: BLOB, content: randomBytes(300_000) };
  const endOfFirst = handmadePack([first]).length - 20;
  const pack = handmadePack([first, large, first]);
  const meter = new PackMeter('sha1', { objectBytesMax: MIB, pushBytesMax: MIB }, (work) => work());
  assert.equal(meter.measuredBytes, 0);
  await meter.add(pack.subarray(0, 500));
  assert.equal(meter.measuredBytes, 12, 'the header');
  await meter.add(pack.subarray(500, endOfFirst + 100));
  assert.ok([12, endOfFirst, endOfFirst + 4].includes(meter.measuredBytes), `${meter.measuredBytes}`);
  await meter.add(pack.subarray(endOfFirst + 100, 200_000));
  assert.ok(meter.measuredBytes > endOfFirst && meter.measuredBytes <= 200_000, 'within the large object');
  await meter.add(pack.subarray(200_000));
  await meter.finish();
  assert.equal(meter.measuredBytes, pack.length - 20);
  await meter.add(Buffer.from('more'));
  assert.equal(meter.measuredBytes, pack.length - 20);
});

test('a pack is rejected for an object, or for objects in total, beyond the limits', async () => {
  const zeros = (mib: number) => ({ type: BLOB, content: Buffer.alloc(mib * MIB) });
  const cases: readonly [Buffer, RegExp][] = [
    [handmadePack([zeros(11)]), /an object in the pack unpacks to more than 10 MiB/],
    [handmadePack([zeros(9), zeros(9)]), /the pack unpacks to more than 1\d MiB/],
    [handmadePack([{ type: BLOB, size: 20_000_000_000, content: Buffer.alloc(9) }]), /more than 10 MiB/],
    [handmadePack([{ type: REFERENCE_DELTA, content: delta(11 * MIB) }]), /more than 10 MiB/],
    [
      handmadePack(Array.from({ length: 11 }, () => ({ type: REFERENCE_DELTA, content: delta(10 * MIB) }))),
      /the pack unpacks to more than 100 MiB/,
    ],
  ];
  for (const [pack, message] of cases) {
    await assert.rejects(measure(pack), (error: Error & { failure?: { kind: string } }) => {
      assert.match(error.message, message);
      assert.equal(error.failure?.kind, 'too_large');
      return true;
    });
  }
  await measure(handmadePack([zeros(9)]));
  const commit = { type: COMMIT, content: Buffer.alloc(65 * MIB) };
  await assert.rejects(measure(handmadePack([commit]), { objectMib: 100 }), /more than 64 MiB/);
});

test('an object that is not as long as its size says is rejected, without inflating all of it', async () => {
  for (const [size, bytes] of [
    [10, 50],
    [50, 10],
    [10, 9 * MIB],
    [70_000, 9 * MIB],
    [300_000, 9 * MIB],
    [9 * MIB, 100_000],
    [0, 1],
  ] as const) {
    const pack = handmadePack([{ type: BLOB, size, content: Buffer.alloc(bytes) }]);
    await assert.rejects(measure(pack), /not as long as its size says/, `${size} ${bytes}`);
  }
});

test('a broken pack is rejected', async () => {
  const pack = handmadePack([
    { type: BLOB, content: randomBytes(1000) },
    { type: BLOB, content: randomBytes(300_000) },
  ]);
  await measure(pack);
  for (const bytes of [0, 5, 12, 13, 500, pack.length - 1000]) {
    await assert.rejects(measure(pack.subarray(0, bytes)), /the pack ended early/, `${bytes}`);
  }
  for (const at of [0, 7, 500, 50_000]) {
    const broken = Buffer.from(pack);
    broken.fill(0xff, at, at + 20);
    await assert.rejects(measure(broken), /the pack /, `${at}`);
  }
});

test('other work gets turns while many empty objects are measured', async () => {
  const pack = handmadePack(Array.from({ length: 5_000 }, () => ({ type: BLOB, content: Buffer.alloc(0) })));
  let isMeasuring = true;
  let turns = 0;
  const others = (async () => {
    for (; isMeasuring; turns += 1) await nextTurn();
  })();
  await measure(pack, { pieceBytes: pack.length });
  isMeasuring = false;
  await others;
  assert.ok(turns >= 20, `${turns} turns`);
});
