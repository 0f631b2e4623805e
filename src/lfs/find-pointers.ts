import { invalid } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import type { Oid, WriteSession } from '../git/model.ts';
import type { NamedObject } from './model.ts';
import { LFS_POINTER_BYTES_MAX, parseLfsPointer } from './pointer.ts';

/**
 * Returns the objects that pointers in new commits name.
 *
 * @param session has the tips
 * @throws ForgeError `invalid` for too many pointers; `busy`
 */
export async function findNamedObjects(
  session: WriteSession,
  tips: readonly Oid[],
): Promise<readonly NamedObject[]> {
  const found = new Map<string, NamedObject>();
  for await (const blob of session.readNewBlobs(tips, { bytesMax: LFS_POINTER_BYTES_MAX })) {
    const pointer = parseLfsPointer(blob);
    if (pointer === undefined) continue;
    found.set(pointer.oid, pointer);
    if (found.size > LIMITS.lfsPointersAtOnceMax)
      throw invalid(`one change has at most ${LIMITS.lfsPointersAtOnceMax} new pointers of git-lfs`);
  }
  return [...found.values()];
}

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
  return new Set((await findNamedObjects(session, tips)).map(({ oid }) => oid));
}
