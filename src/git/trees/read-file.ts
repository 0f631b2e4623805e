import type { Oid } from '../format/model.ts';
import type { ObjectReader } from '../interface/snapshot.ts';
import { findEntry } from './find-entry.ts';

/** Reads the file at `path`. Returns undefined if it is absent, not a regular file, or larger than `bytesMax`. */
export async function readFileAt(
  objects: ObjectReader,
  rootTree: Oid,
  path: string,
  bytesMax: number,
): Promise<Buffer | undefined> {
  const entry = await findEntry(objects, rootTree, path);
  if (entry?.mode !== '100644' && entry?.mode !== '100755') return undefined;
  const { sizeBytes = 0 } = (await objects.info(entry.oid)) ?? {};
  if (sizeBytes > bytesMax) return undefined;
  return Buffer.from(await objects.readBlob(entry.oid, { blobBytesMax: bytesMax }));
}
