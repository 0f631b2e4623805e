import { isUtf8 } from 'node:buffer';
import { constants, type Dirent } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { invalid } from '../../core/failure.ts';
import { LIMITS } from '../../core/limits.ts';
import { type ImportedFile, type ImportSource, NotTakenError, type SourceEntry } from './model.ts';
import { isHiddenName } from './names.ts';

const SLASH = Buffer.from('/');

/** Opens a folder, with all folders in it. Follows no symbolic link. */
export function openFolder(path: string): ImportSource {
  return {
    filesTotal: null,
    entries: () => entriesIn({ path: Buffer.from(path), name: '' }, 0),
    close: async () => {},
  };
}

/** A folder on the disk, whose name may have any bytes, and its path in the source. */
interface NamedPath {
  readonly path: Buffer;
  readonly name: string;
}

async function* entriesIn(folder: NamedPath, depth: number): AsyncGenerator<SourceEntry, void> {
  if (depth > LIMITS.importFoldersDeepMax) {
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
  else if (isHiddenName(text)) yield { kind: 'hidden' };
  else if (entry.isSymbolicLink()) yield notTaken('it is a symbolic link');
  else if (entry.isDirectory()) yield* entriesIn(place, depth + 1);
  else if (entry.isFile()) {
    const file = await orNotTaken(() => fileAt(place));
    yield file instanceof NotTakenError ? notTaken(file.message) : { kind: 'file', file };
  } else yield notTaken('it is neither a file nor a folder');
}

async function fileAt({ path, name }: NamedPath): Promise<ImportedFile> {
  const { size, mtimeMs } = await lstat(path);
  return {
    name,
    sizeBytes: size,
    modifiedAt: Math.max(0, Math.trunc(mtimeMs)),
    read: () => readFileAt(path),
  };
}

/** @throws NotTakenError */
async function readFileAt(path: Buffer): Promise<Buffer> {
  const content = await orNotTaken(() => readRegular(path));
  if (content instanceof NotTakenError) throw content;
  return content;
}

/** @throws NotTakenError if the file has become something else since it was listed */
async function readRegular(path: Buffer): Promise<Buffer> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  await using file = await open(path, flags);
  const before = await file.stat();
  if (!before.isFile()) throw new NotTakenError('it is not a file any more');
  const content = Buffer.alloc(Math.min(before.size, LIMITS.importFileBytesMax) + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < content.length; length += read)
    read = (await file.read(content, length, content.length - length)).bytesRead;
  if (length !== before.size) throw new NotTakenError('it is changing: import it again');
  return content.subarray(0, length);
}

/** Turns errors of the file system into the reason why a file or folder cannot be taken. */
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
