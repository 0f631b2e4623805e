import { ForgeError, invalid } from '../../base/core/failure.ts';
import type { FairSlots } from '../../base/core/fairness/fair-slots.ts';
import type { Received } from '../../base/core/spool/received.ts';
import { realTimeMs } from '../../base/core/time/clock.ts';
import type { ObjectFormat } from '../format/model.ts';
import type { PackLimits } from '../interface/writes.ts';
import { GIT_LIMITS } from '../limits.ts';
import { type MeterThread, ReceivedMeter } from './metering.ts';
import type { PackIndexing } from './pack-indexing.ts';

/**
 * Receives a pack. Reads it to its end even if it is rejected, because git reports a broken pipe and does not read the
 * response if its connection closes early.
 *
 * @throws ForgeError `invalid`, `too_large`, `busy`
 */
export async function receivePack(
  received: Received,
  pack: AsyncIterable<Buffer>,
  options: PackLimits & {
    format: ObjectFormat;
    inflating: FairSlots;
    meterThread: MeterThread;
    indexing: Pick<PackIndexing, 'paced' | 'follow' | 'giveUp'>;
  },
): Promise<void> {
  const { format, bytesMax, unpacked: limits, inflating: turns, meterThread: thread, indexing } = options;
  const onMeasured = (bytes: number) => indexing.follow(bytes);
  await using meter =
    limits === undefined ? null : new ReceivedMeter(received, { format, limits, turns, thread, onMeasured });
  const rest = new RejectedRest();
  let rejection: unknown;
  try {
    for await (const chunk of indexing.paced(pack)) {
      if (rejection === undefined) {
        rejection = await rejectionOf(chunk, { received, meter, bytesMax });
        if (rejection !== undefined) indexing.giveUp();
      } else if (rest.isTooMuch(chunk)) break;
    }
    rejection ??= await errorOf(() => received.flush());
    if (rejection === undefined) await meter?.finish();
  } catch (cause) {
    rejection ??= cause instanceof ForgeError ? cause : invalid('the pack ended early', { cause });
  }
  if (rejection !== undefined) throw rejection;
}

/** Adds a chunk. Returns the error if the chunk is rejected. */
async function rejectionOf(
  chunk: Buffer,
  to: { received: Received; meter: ReceivedMeter | null; bytesMax: number },
): Promise<unknown> {
  const { received, meter, bytesMax } = to;
  if (received.size + chunk.length > bytesMax) {
    return new ForgeError({ kind: 'too_large', what: `the pack is larger than ${bytesMax} bytes` });
  }
  return errorOf(async () => {
    await received.append(chunk);
    await meter?.follow();
  });
}

async function errorOf(work: () => Promise<void>): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Reads and discards the rest of a push. Does nothing if the pack was read to its end. */
export async function discardPack(pack: AsyncIterable<Buffer>): Promise<void> {
  const rest = new RejectedRest();
  try {
    for await (const chunk of pack) if (rest.isTooMuch(chunk)) return;
  } catch {
    // The client has closed the connection.
  }
}

/** Bounds the rest of a rejected pack, in bytes and in time. */
class RejectedRest {
  #bytes = 0;
  #endsAt: number | undefined;

  isTooMuch(chunk: Buffer): boolean {
    this.#endsAt ??= realTimeMs() + GIT_LIMITS.rejectedPackMs;
    this.#bytes += chunk.length;
    return this.#bytes > GIT_LIMITS.rejectedPackBytesMax || realTimeMs() > this.#endsAt;
  }
}
