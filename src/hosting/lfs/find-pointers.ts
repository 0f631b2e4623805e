import { invalid } from '../../base/core/failure.ts';
import type { Oid } from '../../git/format/model.ts';
import type { WriteSession } from '../../git/interface/writes.ts';
import { LFS_LIMITS } from './limits.ts';
import type { NamedObject } from './model.ts';
import { LFS_POINTER_BYTES_MAX, parseLfsPointer } from './pointer.ts';

/**
 * Returns the objects that pointers in new commits or trees name.
 *
 * @param session contains the tips
 * @throws ForgeError `invalid` for too many pointers; `busy`
 */
export async function findNamedObjects(
  session: WriteSession,
  tips: readonly Oid[],
): Promise<readonly NamedObject[]> {
  return namedObjectsIn(session.readNewBlobs(tips, { bytesMax: LFS_POINTER_BYTES_MAX }));
}

/**
 * Returns the objects that pointers among blobs name.
 *
 * @param blobs of at most `LFS_POINTER_BYTES_MAX` bytes
 * @throws ForgeError `invalid` for too many pointers; the errors of `blobs`
 */
export async function namedObjectsIn(blobs: AsyncIterable<Uint8Array>): Promise<readonly NamedObject[]> {
  const found = new Map<string, NamedObject>();
  for await (const blob of blobs) {
    const pointer = parseLfsPointer(blob);
    if (pointer === undefined) continue;
    found.set(pointer.oid, pointer);
    if (found.size > LFS_LIMITS.lfsPointersAtOnceMax)
      throw invalid(`one change has at most ${LFS_LIMITS.lfsPointersAtOnceMax} new pointers of git-lfs`);
  }
  return [...found.values()];
}
