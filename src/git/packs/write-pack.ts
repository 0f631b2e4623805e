import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { writeDurably } from '../../base/core/files/durable-files.ts';
import type { RepositoryFolder } from '../folders/repository-layout.ts';
import type { ObjectFormat, Oid } from '../format/model.ts';
import { decodeLooseFile, type LooseFile } from '../objects/loose-objects.ts';
import { encodeEntry, packHeader } from './encode-pack.ts';
import { makeQuarantine, moveObjectsIn, removeQuarantine } from './quarantine.ts';

const OBJECTS_IN_ONE_GO = 50;
const PACK_MODE = 0o440;
const INDEX_MAGIC = 0xff744f63;
const INDEX_VERSION = 2;

interface Entry {
  readonly oid: Oid;
  /** position of the object in the pack */
  readonly offset: number;
  readonly checksum: number;
}

/** Writes objects as one pack into the repository and returns when they are durable. Holds all of them in memory. */
export async function addPack(
  folder: RepositoryFolder,
  format: ObjectFormat,
  objects: readonly LooseFile[],
): Promise<void> {
  const quarantine = await makeQuarantine(folder);
  try {
    await writePack(join(quarantine, 'pack'), format, objects);
    await moveObjectsIn(quarantine, folder);
  } finally {
    await removeQuarantine(quarantine);
  }
}

async function writePack(folder: string, format: ObjectFormat, objects: readonly LooseFile[]): Promise<void> {
  const pieces = [packHeader(objects.length)];
  const entries: Entry[] = [];
  let offset = pieces[0]?.length ?? 0;
  for (const [index, object] of objects.entries()) {
    // Requests get a turn. A turn for each object would let a busy client slow this down without end.
    if (index % OBJECTS_IN_ONE_GO === 0) await setImmediate();
    const piece = await encodeEntry(decodeLooseFile(object));
    entries.push({ oid: object.oid, offset, checksum: crc32(piece) });
    pieces.push(piece);
    offset += piece.length;
  }
  const pack = withChecksum(format, pieces);
  const checksum = pack.subarray(offset);
  const path = join(folder, `pack-${checksum.toString('hex')}`);
  await writeDurably(`${path}.pack`, pack, { mode: PACK_MODE });
  await writeDurably(`${path}.idx`, encodeIndex(format, entries, checksum), { mode: PACK_MODE });
}

/**
 * Returns the index of a pack of less than 2 GiB.
 *
 * @see gitformat-pack(5), "Version 2 pack-*.idx files"
 */
function encodeIndex(format: ObjectFormat, entries: readonly Entry[], packChecksum: Uint8Array): Buffer {
  const sorted = entries.toSorted((a, b) => (a.oid < b.oid ? -1 : 1));
  const firstBytes = sorted.map(({ oid }) => Number.parseInt(oid.slice(0, 2), 16));
  const fanout = Array.from({ length: 256 }, (_, first) => firstBytes.filter((byte) => byte <= first).length);
  return withChecksum(format, [
    wordsOf([INDEX_MAGIC, INDEX_VERSION, ...fanout]),
    ...sorted.map(({ oid }) => Buffer.from(oid, 'hex')),
    wordsOf(sorted.map(({ checksum }) => checksum)),
    wordsOf(sorted.map(({ offset }) => offset)),
    packChecksum,
  ]);
}

/** Returns 32-bit numbers in network byte order. */
function wordsOf(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4);
  for (const [at, number] of numbers.entries()) bytes.writeUInt32BE(number, at * 4);
  return bytes;
}

/** Joins the pieces of a file and appends the checksum of all of them. */
function withChecksum(format: ObjectFormat, pieces: readonly Uint8Array[]): Buffer {
  const hash = createHash(format);
  for (const piece of pieces) hash.update(piece);
  return Buffer.concat([...pieces, hash.digest()]);
}
