import { PassThrough, pipeline } from 'node:stream';
import type { FileSpace } from '../../base/core/spool/nameless-file.ts';
import { Spool } from '../../base/core/spool/spool.ts';
import { GIT_LIMITS } from '../limits.ts';
import type { GitChild } from './child.ts';

/**
 * Moves the output of a child into a spool, so that the child ends and frees its slot even if its reader is slow. To
 * discard the output, destroy the spool and end the child.
 *
 * @param options.bytesMax the child is ended when it writes more
 */
export function spoolOutput(
  spools: FileSpace,
  child: GitChild,
  options: { readonly bytesMax?: number } = {},
): Spool {
  const output = newSpool(spools);
  void fill(output, child, options.bytesMax ?? Number.POSITIVE_INFINITY);
  return output;
}

export function newSpool(spools: FileSpace): Spool {
  return new Spool(spools, {
    memoryBytesMax: GIT_LIMITS.spoolMemoryBytesMax,
    fileBytesMax: GIT_LIMITS.fetchSpoolBytesMax,
    patienceMs: GIT_LIMITS.spoolPatienceMs,
  });
}

/** Fills a spool. The time in which the child waits for a full spool does not count. */
async function fill(output: Spool, child: GitChild, bytesMax: number): Promise<void> {
  let bytes = 0;
  // Joins what arrives during a write. A pipe has small pieces, and each write waits for a thread.
  const joined = new PassThrough({ highWaterMark: GIT_LIMITS.spoolMemoryBytesMax });
  pipeline(child.stdout, joined, () => {});
  try {
    for await (const chunk of joined as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bytesMax) child.end();
      child.deadline.pause();
      await output.write(chunk);
      child.deadline.restart();
    }
  } catch {
    // The child was ended, or the spool was discarded, which ends it. Its exit says so.
  }
  await child.done;
  output.end();
}
