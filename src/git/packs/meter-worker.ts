import { readSync } from 'node:fs';
import { ForgeError } from '../../base/core/failure.ts';
import { answerInThread } from '../../base/core/threads/in-thread.ts';
import type { Measured, MeterAnswer, MeterWork } from './metering.ts';
import { PackMeter } from './pack-meter.ts';

// Measures packs in files, in steps, so that several packs take turns.

const PIECE_BYTES = 128 * 1024;
/** Time after which a step ends with the next piece. */
const STEP_MS = 50;

interface MeteredPack {
  readonly meter: PackMeter;
  readTo: number;
}

/** used again for each piece, because the meters copy what they do not read at once */
const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);

/** the packs that are being measured, by their ids */
const packs = new Map<number, MeteredPack>();

answerInThread<MeterWork, MeterAnswer>(async (work) => {
  try {
    if (!('isOver' in work)) return await step(work);
    packs.get(work.id)?.meter.end();
    packs.delete(work.id);
    return { readTo: 0, measuredTo: 0 };
  } catch (error) {
    if (error instanceof ForgeError) return { failure: error.failure };
    throw error;
  }
});

async function step(work: Exclude<MeterWork, { isOver: true }>): Promise<Measured> {
  const pack = packs.get(work.id) ?? begin(work);
  const endsAt = performance.now() + STEP_MS;
  while (pack.readTo < work.upTo) {
    const bytes = readSync(work.file, piece, 0, Math.min(piece.length, work.upTo - pack.readTo), pack.readTo);
    if (bytes === 0) throw new Error('a received pack is shorter than what was written to it');
    pack.readTo += bytes;
    await pack.meter.add(piece.subarray(0, bytes));
    if (performance.now() > endsAt) break;
  }
  if (work.isEnd && pack.readTo === work.upTo) await pack.meter.finish();
  return { readTo: pack.readTo, measuredTo: pack.meter.measuredBytes };
}

function begin({ id, format, limits }: Exclude<MeterWork, { isOver: true }>): MeteredPack {
  // The thread measures one piece at a time, so large objects need no turns.
  const pack = { meter: new PackMeter(format, limits, (work) => work()), readTo: 0 };
  packs.set(id, pack);
  return pack;
}
