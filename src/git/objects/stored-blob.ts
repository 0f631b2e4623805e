import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { undefinedIfMissing } from '../folders/file-errors.ts';
import type { ObjectFormat, Oid } from '../format/model.ts';
import { objectHeader } from '../format/object-format.ts';
import { inflateFile } from '../pack-files/inflate-file.ts';
import { readPackEntry } from '../pack-files/pack-entries.ts';
import { listIndexes, openIndex } from '../pack-files/pack-index.ts';
import type { ObjectsLocation } from './cat-file.ts';
import { loosePath } from './loose-objects.ts';

/** A blob whose size is known. */
export interface LargeBlob {
  readonly location: ObjectsLocation;
  readonly format: ObjectFormat;
  readonly oid: Oid;
  readonly sizeBytes: number;
}

/** A place in a file from which zlib's bytes of a whole blob follow. */
interface OpenBlob {
  readonly file: FileHandle;
  readonly position: number;
  /** what precedes the content in the inflated bytes */
  readonly header: string;
}

/** A blob whose bytes on disk are not what they should be. */
export class BrokenBlobError extends Error {
  override readonly name = 'BrokenBlobError';
}

/** Enough for what precedes zlib's bytes in a pack: see `readPackEntry`. */
const ENTRY_HEAD_BYTES = 64;
/** Indexes that are searched before other work gets a turn. */
const INDEXES_IN_ONE_GO = 8;

/**
 * Writes a blob that is a loose object or whole in a pack, without a git process. The last piece comes when zlib's
 * checksum of all is right.
 *
 * @returns false for a blob that git has to read: as the difference to another one, from another repository, or because
 *   anything about it is unexpected. Nothing has been written then
 * @throws BrokenBlobError for a blob of which a part has been written; an error of `write`
 */
export async function copyStoredBlob(
  blob: LargeBlob,
  write: (piece: Buffer) => Promise<void>,
): Promise<boolean> {
  let isBegun = false;
  try {
    // A repack may have deleted the pack since the look at its index. The object is in another one then.
    const stored = (await find(blob)) ?? (await find(blob));
    if (stored === undefined) return false;
    await using file = stored.file;
    const inflated = inflateFile(file, stored.position);
    for await (const piece of contentOf(inflated, { header: stored.header, sizeBytes: blob.sizeBytes })) {
      isBegun = true;
      await write(piece);
    }
    return true;
  } catch (error) {
    if (isBegun) throw error;
    return false;
  }
}

async function find({ location, format, oid, sizeBytes }: LargeBlob): Promise<OpenBlob | undefined> {
  const objects = location.objectsFolder ?? join(location.gitDir, 'objects');
  const loose = await undefinedIfMissing(open(join(objects, loosePath(oid))));
  if (loose !== undefined) return { file: loose, position: 0, header: objectHeader('blob', sizeBytes) };
  for await (const place of findInPacks(join(objects, 'pack'), format, oid)) {
    const packed = await openPacked(place, { format, sizeBytes });
    if (packed !== undefined) return packed;
  }
  return undefined;
}

interface PackedPlace {
  readonly pack: string;
  readonly position: number;
}

/** Finds the packs that have an object. Leaves out packs with an index that only git can read. */
async function* findInPacks(packs: string, format: ObjectFormat, oid: Oid): AsyncGenerator<PackedPlace> {
  for (const [number, path] of listIndexes(packs).entries()) {
    if (number % INDEXES_IN_ONE_GO === INDEXES_IN_ONE_GO - 1) await setImmediate();
    const position = findInIndex(path, format, oid);
    if (position !== undefined) yield { pack: path.replace(/\.idx$/, '.pack'), position };
  }
}

function findInIndex(path: string, format: ObjectFormat, oid: Oid): number | undefined {
  using index = openIndex(path, format);
  return index?.isKnown === true ? index.positionOf(oid) : undefined;
}

/** @returns undefined for anything but a whole blob of this size, and for a pack that is gone */
async function openPacked(
  { pack, position }: PackedPlace,
  { format, sizeBytes }: Pick<LargeBlob, 'format' | 'sizeBytes'>,
): Promise<OpenBlob | undefined> {
  const file = await undefinedIfMissing(open(pack));
  if (file === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(ENTRY_HEAD_BYTES), { position });
    const entry = readPackEntry(buffer.subarray(0, bytesRead), format);
    if (entry?.content === 'blob' && entry.size === sizeBytes)
      return { file, position: position + entry.headerBytes, header: '' };
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return undefined;
}

/** Yields what follows the header. Holds the last piece back until the inflated bytes have ended as they should. */
async function* contentOf(
  inflated: AsyncIterable<Buffer>,
  { header, sizeBytes }: { header: string; sizeBytes: number },
): AsyncGenerator<Buffer> {
  let bytes = -header.length;
  let last: Buffer | undefined;
  try {
    for await (const piece of inflated) {
      const skipped = bytes < 0 ? header.length : 0;
      if (piece.toString('latin1', 0, skipped) !== header.slice(0, skipped))
        throw new Error('it is another object');
      bytes += piece.length;
      if (bytes > sizeBytes) break;
      if (bytes < sizeBytes) yield piece.subarray(skipped);
      else last = piece.subarray(skipped);
    }
  } catch (cause) {
    throw new BrokenBlobError('a stored blob is broken', { cause });
  }
  if (last === undefined || bytes !== sizeBytes)
    throw new BrokenBlobError(`a stored blob of ${sizeBytes} bytes has ${bytes}`);
  yield last;
}
