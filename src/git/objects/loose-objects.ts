import { link, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { constants, createDeflate, inflateSync } from 'node:zlib';
import { FOLDER_MODE, syncFile, syncFolder, writeDurably } from '../../base/core/files/durable-files.ts';
import { failedWith } from '../folders/file-errors.ts';
import { inBatches } from '../folders/in-batches.ts';
import { cannotLink, linkOrCopy } from '../folders/linked-objects.ts';
import { exists, type RepositoryFolder, randomName } from '../folders/repository-layout.ts';
import { CHUNK_BYTES_MIN, compress, compressUnlessSmall } from '../format/compress.ts';
import type { GitObject, Oid } from '../format/model.ts';
import { isObjectType, objectHeader } from '../format/object-format.ts';

/** Larger content is compressed in pieces and at the fastest level. */
const WHOLE_BYTES_MAX = 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
const OBJECT_MODE = 0o440;
/** What Node takes by default. */
const CHUNK_BYTES_MAX = 16 * 1024;
/** More objects than not are this many times as large as they are compressed, or less. */
const RATIO_GUESSED = 4;

/** An object with the bytes of its loose file. */
export interface LooseFile {
  readonly oid: Oid;
  readonly bytes: Uint8Array;
}

/** Returns the path of a loose object below an `objects` folder. */
export function loosePath(oid: Oid): string {
  return join(oid.slice(0, 2), oid.slice(2));
}

/** Writes an object into a quarantine, unless git has written it there. Syncs the file, but not its name. */
export async function writeLooseObject(quarantine: string, object: GitObject): Promise<void> {
  await mkdir(join(quarantine, object.oid.slice(0, 2)), { recursive: true, mode: FOLDER_MODE });
  try {
    await writeObjectFile(join(quarantine, loosePath(object.oid)), object);
  } catch (error) {
    if (!failedWith(error, 'EEXIST')) throw error;
  }
}

/** Links an object that was written before into a quarantine. */
export async function linkLooseObject(
  quarantine: string,
  { oid, file }: { readonly oid: Oid; readonly file: string },
): Promise<void> {
  await mkdir(join(quarantine, oid.slice(0, 2)), { recursive: true, mode: FOLDER_MODE });
  await linkOrCopy(file, join(quarantine, loosePath(oid)));
}

/**
 * Writes objects directly into the repository and returns when they are durable. git sees each object complete or not at
 * all. Existing objects are written again, so that a running prune keeps them.
 */
export async function addLooseObjects(
  folder: RepositoryFolder,
  objects: readonly GitObject[],
): Promise<void> {
  await addDurably(folder, objects, async (draft, object) => writeObjectFile(draft, object));
}

/** Does the same with objects whose files exist in memory. */
export async function addLooseFiles(folder: RepositoryFolder, files: readonly LooseFile[]): Promise<void> {
  await addDurably(folder, files, (draft, { bytes }) => writeDurably(draft, bytes, { mode: OBJECT_MODE }));
}

async function addDurably<Item extends { readonly oid: Oid }>(
  folder: RepositoryFolder,
  items: readonly Item[],
  write: (draft: string, item: Item) => Promise<void>,
): Promise<void> {
  const shards = new Set<string>();
  await inBatches(items, async (item) => {
    const shard = join(folder.objects, item.oid.slice(0, 2));
    shards.add(shard);
    // The next sweep deletes drafts of ended processes.
    const draft = join(folder.quarantines, `object-${randomName()}`);
    await write(draft, item);
    await inFolder(shard, () => rename(draft, join(shard, item.oid.slice(2))));
  });
  // Also the parent of the shards: another push may have created one and not synced it yet.
  await inBatches([...shards, folder.objects], syncFolder);
}

/**
 * Writes files into a folder of loose objects, each complete or not at all. New files may not survive power loss. A file
 * that replaces another one does, because a ref may rely on that one.
 */
export async function copyLooseFiles(
  objectsFolder: string,
  files: readonly LooseFile[],
  { drafts }: { drafts: string },
): Promise<void> {
  await inBatches(files, async ({ oid, bytes }) => {
    const draft = join(drafts, `object-${randomName()}`);
    const target = join(objectsFolder, loosePath(oid));
    if (!(await exists(target))) {
      await writeFile(draft, bytes, { mode: OBJECT_MODE, flag: 'wx' });
      if (await moveToNew(draft, target)) return;
      await syncFile(draft);
    } else await writeDurably(draft, bytes, { mode: OBJECT_MODE });
    await inFolder(dirname(target), () => rename(draft, target));
  });
}

/**
 * Moves a file to a path where none is. A file that came meanwhile stays, because it may be durable.
 *
 * @returns false if the file system cannot do this in one step; then the draft stays
 */
async function moveToNew(draft: string, target: string): Promise<boolean> {
  try {
    await inFolder(dirname(target), () => link(draft, target));
  } catch (error) {
    if (cannotLink(error)) return false;
    if (!failedWith(error, 'EEXIST')) throw error;
  }
  await rm(draft);
  return true;
}

/** Returns an object as its loose file. Only for small objects. */
export async function encodeLooseFile(object: GitObject): Promise<LooseFile> {
  const whole = Buffer.concat([headerOf(object), object.content]);
  return { oid: object.oid, bytes: await compressUnlessSmall(whole) };
}

/** Reads a loose file that this server has made. */
export function decodeLooseFile({ oid, bytes }: LooseFile): GitObject {
  const whole = inflateSync(bytes, { chunkSize: chunkBytesFor(bytes) });
  const headerEnd = whole.indexOf(0);
  const [type = ''] = whole.subarray(0, headerEnd).toString('latin1').split(' ');
  if (!isObjectType(type)) throw new Error(`object ${oid} has an unknown type`);
  return { oid, type, content: whole.subarray(headerEnd + 1) };
}

/** A buffer of the usual size for each of thousands of small objects would take several times their memory. */
function chunkBytesFor({ length }: Uint8Array): number {
  return Math.min(CHUNK_BYTES_MAX, Math.max(CHUNK_BYTES_MIN, length * RATIO_GUESSED));
}

/** Moves a file into a folder, which it creates if it is missing. */
async function inFolder(folder: string, move: () => Promise<void>): Promise<void> {
  try {
    await move();
  } catch (error) {
    if (!failedWith(error, 'ENOENT')) throw error;
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    await move();
  }
}

/** Writes an object that is too large for memory: its header, then its content. Syncs the file, but not its name. */
export async function writeStreamedObject(path: string, source: AsyncIterable<Uint8Array>): Promise<void> {
  await writeDurably(path, compressStream(source), { mode: OBJECT_MODE });
}

async function writeObjectFile(path: string, object: GitObject): Promise<void> {
  await writeDurably(path, await compressObject(object), { mode: OBJECT_MODE });
}

async function compressObject(object: GitObject): Promise<Uint8Array | AsyncIterable<Uint8Array>> {
  const { content } = object;
  if (content.length > WHOLE_BYTES_MAX) return compressStream(inPieces(headerOf(object), content));
  return compress(Buffer.concat([headerOf(object), content]), 'loose');
}

function headerOf({ type, content }: GitObject): Buffer {
  return Buffer.from(objectHeader(type, content.length), 'latin1');
}

function* inPieces(header: Buffer, content: Uint8Array): Generator<Uint8Array> {
  yield header;
  for (let from = 0; from < content.length; from += PIECE_BYTES) {
    yield content.subarray(from, from + PIECE_BYTES);
  }
}

function compressStream(source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const compressed = createDeflate({ level: constants.Z_BEST_SPEED });
  feed(compressed, source).catch((error: unknown) => compressed.destroy(error as Error));
  return compressed;
}

/** Waits for each piece to be processed before it takes the next one, so a source may reuse its memory. */
async function feed(
  stream: Writable,
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  for await (const piece of source) {
    await new Promise<void>((resolve, reject) => {
      stream.write(piece, (error) => (error ? reject(error) : resolve()));
    });
  }
  stream.end();
}
