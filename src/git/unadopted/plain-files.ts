import { constants } from 'node:fs';
import { type FileHandle, link, lstat, open, readdir, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { failedWith, undefinedIfMissing } from '../folders/file-errors.ts';
import { cannotLink } from '../folders/linked-objects.ts';

// Access to files that others have written: a symbolic link counts as missing.

const NO_LINK = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Whether a path is a folder, and not a symbolic link to one. */
export async function isPlainFolder(path: string): Promise<boolean> {
  return (await undefinedIfMissing(lstat(path)))?.isDirectory() === true;
}

/** Returns the names of the folders and of the files in a folder; none of a missing folder. */
export async function namesIn(
  path: string,
): Promise<{ readonly folders: readonly string[]; readonly files: readonly string[] }> {
  if (!(await isPlainFolder(path))) return { folders: [], files: [] };
  const entries = await readdir(path, { withFileTypes: true });
  return {
    folders: entries.filter((entry) => entry.isDirectory()).map(({ name }) => name),
    files: entries.filter((entry) => entry.isFile()).map(({ name }) => name),
  };
}

/**
 * Reads a short file.
 *
 * @returns undefined for a missing file, and for anything but a file; `too large` for a larger one
 */
export async function readPlainFile(
  path: string,
  bytesMax: number,
): Promise<Buffer | 'too large' | undefined> {
  await using file = await openPlainFile(path);
  if (file === undefined) return undefined;
  const { size } = await file.stat();
  if (size > bytesMax) return 'too large';
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), { position: 0 });
  return buffer.subarray(0, bytesRead);
}

async function openPlainFile(path: string): Promise<FileHandle | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, NO_LINK);
  } catch (error) {
    if (failedWith(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EMLINK')) return undefined;
    throw error;
  }
  if ((await file.stat()).isFile()) return file;
  await file.close();
  return undefined;
}

/** Gives a file a second name, or copies it to another file system. Does nothing for anything but a file. */
export async function linkPlainFile(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
    // The system links symbolic links as they are.
    if (!(await lstat(to)).isFile()) await rm(to);
  } catch (error) {
    if (!cannotLink(error)) throw error;
    await copyPlainFile(from, to);
  }
}

async function copyPlainFile(from: string, to: string): Promise<void> {
  await using source = await openPlainFile(from);
  if (source === undefined) return;
  await using target = await open(to, 'wx', 0o600);
  await pipeline(
    source.createReadStream({ autoClose: false }),
    target.createWriteStream({ autoClose: false }),
  );
}
