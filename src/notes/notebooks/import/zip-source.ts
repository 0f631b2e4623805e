import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl';
import { invalid } from '../../../base/core/failure.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import { NOTE_LIMITS } from '../limits.ts';
import { type ImportSource, NotTakenError, type SourceEntry, type SourceFile } from './model.ts';
import { isHiddenName, requireInside } from './names.ts';

/**
 * Opens a zip archive. Reads its list of files at once, and then the files one after the other.
 *
 * @param folderName a folder of this name around all files is left out, because the archive of a folder often has the
 *   name of the folder
 * @throws ForgeError `invalid` if the archive is damaged, its files overlap, or there are too many
 */
export async function openZip(path: string, folderName: string): Promise<ImportSource> {
  const zip = await asInvalid(path, () =>
    // This file checks names one by one, and sizes while reading, because a failed check of the library would end the
    // whole import.
    openPromise(path, {
      lazyEntries: true,
      autoClose: false,
      decodeStrings: false,
      validateEntrySizes: false,
    }),
  );
  try {
    const entries = await asInvalid(path, () => listEntries(path, zip));
    const around = `${folderName}/`;
    const isAround = entries.every(
      ({ name }) => name.startsWith(around) || isHiddenName(name.split('/', 1)[0] ?? ''),
    );
    const files = entries.filter(({ name }) => !name.endsWith('/'));
    return {
      async *entries() {
        const seen = new Set<string>();
        for (const { name, entry } of files)
          yield sourceEntryOf(zip, entry, {
            name: isAround && name.startsWith(around) ? name.slice(around.length) : name,
            seen,
          });
      },
      close: async () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

interface NamedEntry {
  readonly name: string;
  readonly entry: Entry;
}

/** @throws ForgeError `invalid` */
async function listEntries(path: string, zip: ZipFile): Promise<readonly NamedEntry[]> {
  const entries: NamedEntry[] = [];
  let compressed = 0;
  for await (const entry of zip.eachEntry()) {
    entries.push({ name: nameOf(entry), entry });
    compressed += entry.compressedSize;
    if (entries.length > NOTE_LIMITS.importFilesMax)
      throw invalid(`${path} has more than ${NOTE_LIMITS.importFilesMax} files`);
  }
  // A small archive can stand for any number of bytes if its files share them.
  if (compressed > zip.fileSize) throw invalid(`${path} is damaged or hostile: its files overlap`);
  return entries;
}

/** Returns the path of a file, with slashes. Many programs write UTF-8 without saying so. */
function nameOf(entry: Entry): string {
  const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
  const flags = isUtf8(fileNameRaw) ? generalPurposeBitFlag | UTF8_NAMES : generalPurposeBitFlag;
  const name = getFileNameLowLevel(flags, fileNameRaw, extraFields, false);
  return name.replace(/^(?:\.\/)+/, '');
}

const UTF8_NAMES = 0x800;
/** Types of files as Unix stores them in the upper half of the attributes. */
const TYPE_MASK = 0xf000;
const SYMBOLIC_LINK = 0xa000;
const REGULAR = 0x8000;

function sourceEntryOf(
  zip: ZipFile,
  entry: Entry,
  { name, seen }: { name: string; seen: Set<string> },
): SourceEntry {
  try {
    requireInside(name);
    if (name.split('/').some(isHiddenName)) return { kind: 'hidden', name };
    requireOrdinary(entry);
    if (seen.has(name)) throw new NotTakenError('the archive has two files of this name');
    seen.add(name);
    return { kind: 'file', file: fileOf(zip, entry, name) };
  } catch (error) {
    if (!(error instanceof NotTakenError)) throw error;
    return { kind: 'not-taken', name, why: error.message };
  }
}

/** @throws NotTakenError */
function requireOrdinary(entry: Entry): void {
  const type = (entry.externalFileAttributes >>> 16) & TYPE_MASK;
  if (type === SYMBOLIC_LINK) throw new NotTakenError('it is a symbolic link');
  if (type !== 0 && type !== REGULAR) throw new NotTakenError('it is neither a file nor a folder');
  if (entry.isEncrypted()) throw new NotTakenError('it is encrypted');
  if (!entry.canDecodeFileData()) throw new NotTakenError('its compression is not supported');
  const { compressedSize, uncompressedSize } = entry;
  const isBomb = uncompressedSize > compressedSize * NOTE_LIMITS.importRatioMax;
  if (isBomb && uncompressedSize > NOTE_LIMITS.importRatioBytesMin)
    throw new NotTakenError(`it unpacks to more than ${NOTE_LIMITS.importRatioMax} times its size`);
}

function fileOf(zip: ZipFile, entry: Entry, name: string): SourceFile {
  const { uncompressedSize: sizeBytes } = entry;
  const time = entry.getLastModDate().getTime();
  const modifiedAt = Number.isFinite(time) ? Math.max(0, Math.trunc(time)) : currentTimeMs();
  return { name, sizeBytes, modifiedAt, pieces: () => piecesOf(zip, entry) };
}

/** @throws NotTakenError */
async function* piecesOf(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer, void> {
  let bytes = 0;
  let sum = 0;
  try {
    const stream = await zip.openReadStreamPromise(entry);
    for await (const piece of stream as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > entry.uncompressedSize) throw new NotTakenError('it unpacks to more than the archive says');
      sum = crc32(piece, sum);
      yield piece;
    }
  } catch (error) {
    if (error instanceof NotTakenError) throw error;
    throw new NotTakenError(`it is damaged (${(error as Error).message})`, { cause: error });
  }
  if (bytes !== entry.uncompressedSize || sum !== entry.crc32) throw new NotTakenError('it is damaged');
}

/** @throws ForgeError `invalid` for an archive that the library cannot read */
async function asInvalid<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, name, message } = error as NodeJS.ErrnoException;
    if (name === 'ForgeError' || code !== undefined) throw error;
    throw invalid(`${path} is not a zip archive, or damaged: ${message}`);
  }
}
