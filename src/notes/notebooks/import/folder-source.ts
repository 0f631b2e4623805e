import { isUtf8 } from 'node:buffer';
import { constants, type Dirent } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { invalid } from '../../../base/core/failure.ts';
import { NOTE_LIMITS } from '../limits.ts';
import { type ImportSource, NotTakenError, type SourceEntry, type SourceFile } from './model.ts';
import { isHiddenName } from './names.ts';

const SLASH = Buffer.from('/');
const PIECE_BYTES = 256 * 1024;

/** Opens a folder, with all folders in it. Follows no symbolic link. */
export function openFolder(path: string): ImportSource {
  return {
    entries: () => entriesIn({ path: Buffer.from(path), name: '' }, 0),
    close: async () => {},
  };
}

/** A folder on the disk, and its path in the source. The name on the disk may contain any bytes. */
interface NamedPath {
  readonly path: Buffer;
  readonly name: string;
}

/** Opens a single file as a source with only this file. */
export function openFile(path: string, name: string): ImportSource {
  return {
    async *entries() {
      const place = { path: Buffer.from(path), name };
      yield { kind: 'file', file: await fileAt(place) };
    },
    close: async () => {},
  };
}

async function* entriesIn(folder: NamedPath, depth: number): AsyncGenerator<SourceEntry, void> {
  if (depth > NOTE_LIMITS.importFoldersDeepMax) {
    yield { kind: 'not-taken', name: folder.name, why: 'it is too deep in other folders' };
    return;
  }
  const entries = await orNotTaken(() => readdir(folder.path, { withFileTypes: true, encoding: 'buffer' }));
  if (entries instanceof NotTakenError) {
    if (depth === 0) throw invalid(`${folder.path.toString()}: ${entries.message}`);
    yield { kind: 'not-taken', name: folder.name, why: entries.message };
    return;
  }
  for (const entry of entries.toSorted((one, other) => one.name.compare(other.name)))
    yield* entriesAt(folder, entry, depth);
}

async function* entriesAt(
  folder: NamedPath,
  entry: Dirent<Buffer>,
  depth: number,
): AsyncGenerator<SourceEntry, void> {
  const text = entry.name.toString();
  const place = {
    path: Buffer.concat([folder.path, SLASH, entry.name]),
    name: folder.name === '' ? text : `${folder.name}/${text}`,
  };
  const notTaken = (why: string) => ({ kind: 'not-taken', name: place.name, why }) as const;
  if (!isUtf8(entry.name)) yield notTaken('its name is not UTF-8: rename it');
  else if (isHiddenName(text)) yield { kind: 'hidden', name: place.name };
  else if (entry.isSymbolicLink()) yield notTaken('it is a symbolic link');
  else if (entry.isDirectory()) yield* entriesIn(place, depth + 1);
  else if (entry.isFile()) {
    const file = await orNotTaken(() => fileAt(place));
    yield file instanceof NotTakenError ? notTaken(file.message) : { kind: 'file', file };
  } else yield notTaken('it is neither a file nor a folder');
}

async function fileAt({ path, name }: NamedPath): Promise<SourceFile> {
  const { size, mtimeMs } = await lstat(path);
  return {
    name,
    sizeBytes: size,
    modifiedAt: Math.max(0, Math.trunc(mtimeMs)),
    pieces: () => piecesAt(path),
  };
}

/** @throws NotTakenError, also if the path is no longer a regular file */
async function* piecesAt(path: Buffer): AsyncGenerator<Buffer, void> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const opened = await orNotTaken(() => open(path, flags));
  if (opened instanceof NotTakenError) throw opened;
  await using file = opened;
  const before = await file.stat();
  if (!before.isFile()) throw new NotTakenError('it is not a file any more');
  let bytes = 0;
  for (;;) {
    const room = Math.min(PIECE_BYTES, before.size - bytes + 1);
    const piece = await orNotTaken(() => file.read({ buffer: Buffer.alloc(room) }));
    if (piece instanceof NotTakenError) throw piece;
    if (piece.bytesRead === 0) break;
    bytes += piece.bytesRead;
    if (bytes > before.size) break;
    yield piece.buffer.subarray(0, piece.bytesRead);
  }
  if (bytes !== before.size) throw new NotTakenError('it is changing: import it again');
}

/** Turns errors of the file system into the reason why a file or folder cannot be imported. */
async function orNotTaken<T>(work: () => Promise<T>): Promise<T | NotTakenError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotTakenError) return error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return new NotTakenError(`it cannot be read (${code})`, { cause: error });
  }
}
