import { invalid } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import type { Oid, WriteSession } from '../git/model.ts';
import { LFS_POINTER_BYTES_MAX, parseLfsPointer } from './pointer.ts';

/**
 * Returns the ids of the objects that pointers in new commits or trees name.
 *
 * @param session has the tips
 * @throws ForgeError `invalid` for too many pointers; `busy`
 */
export async function findPointers(
  session: WriteSession,
  tips: readonly Oid[],
): Promise<ReadonlySet<string>> {
  const oids = new Set<string>();
  for await (const blob of session.readNewBlobs(tips, { bytesMax: LFS_POINTER_BYTES_MAX })) {
    const pointer = parseLfsPointer(blob);
    if (pointer === undefined) continue;
    oids.add(pointer.oid);
    if (oids.size > LIMITS.lfsPointersAtOnceMax)
      throw invalid(`one change has at most ${LIMITS.lfsPointersAtOnceMax} new pointers of git-lfs`);
  }
  return oids;
}
