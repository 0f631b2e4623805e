import { readSync } from 'node:fs';
import { ForgeError } from '../../core/failure.ts';
import { answerInThread } from '../../core/in-thread.ts';
import type { MeterAnswer, MeterWork } from './metering.ts';
import { PackMeter } from './pack-meter.ts';

// Measures packs in files, in steps, so that several packs take turns.

const PIECE_BYTES = 128 * 1024;
/** Time after which a step ends with the next piece. */
const STEP_MS = 50;

interface Measured {
  readonly meter: PackMeter;
  readTo: number;
}

/** the packs that are being measured, by their ids */
const packs = new Map<number, Measured>();

answerInThread<MeterWork, MeterAnswer>(async (work) => {
  try {
    if (!('isOver' in work)) return { readTo: await step(work) };
    packs.get(work.id)?.meter.end();
    packs.delete(work.id);
    return { readTo: 0 };
  } catch (error) {
    if (error instanceof ForgeError) return { failure: error.failure };
    throw error;
  }
});

async function step(work: Exclude<MeterWork, { isOver: true }>): Promise<number> {
  const pack = packs.get(work.id) ?? begin(work);
  const endsAt = performance.now() + STEP_MS;
  while (pack.readTo < work.upTo) {
    const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, work.upTo - pack.readTo));
    const bytes = readSync(work.file, piece, 0, piece.length, pack.readTo);
    if (bytes === 0) throw new Error('a received pack is shorter than what was written to it');
    pack.readTo += bytes;
    await pack.meter.add(piece.subarray(0, bytes));
    if (performance.now() > endsAt) break;
  }
  if (work.isEnd && pack.readTo === work.upTo) await pack.meter.finish();
  return pack.readTo;
}

function begin({ id, format, limits }: Exclude<MeterWork, { isOver: true }>): Measured {
  // The thread measures one piece at a time, so large objects need no turns.
  const pack = { meter: new PackMeter(format, limits, (work) => work()), readTo: 0 };
  packs.set(id, pack);
  return pack;
}
