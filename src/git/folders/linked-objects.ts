import { createReadStream } from 'node:fs';
import { link, mkdir, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FOLDER_MODE, syncFolder, writeDurably } from '../../base/core/files/durable-files.ts';
import { failedWith, undefinedIfMissing } from './file-errors.ts';
import { inBatches } from './in-batches.ts';
import { listObjectFiles } from './object-files.ts';
import type { RepositoryFolder } from './repository-layout.ts';

/**
 * Links all object files of a repository into folder `to` and returns when the links are durable. Both names share one
 * file, which git never changes, and deleting one name leaves the other. The files keep their dates, so unused objects
 * reach the prune age in both repositories at the same time.
 */
export async function linkObjects(from: RepositoryFolder, to: string): Promise<void> {
  const objects = join(to, 'objects');
  // Links the commit-graph before listing objects, so that it names no missing commit.
  const graph = join('info', 'commit-graph');
  await undefinedIfMissing(linkOrCopy(join(from.objects, graph), join(objects, graph)));
  const paths = (await listObjectFiles(from)).map(({ path }) => path);
  const folders = [...new Set(paths.map((path) => dirname(path)))];
  await inBatches(folders, (folder) => mkdir(join(objects, folder), { recursive: true, mode: FOLDER_MODE }));
  await inBatches(paths, (path) => linkOrCopy(join(from.objects, path), join(objects, path)));
  await inBatches([...folders, 'info', '.'], (folder) => syncFolder(join(objects, folder)));
}

/**
 * Codes of a link that is impossible although the file could be copied: across file systems, on one without hard links,
 * for files of another account, or beyond the maximum link count.
 */
const CANNOT_LINK = ['EXDEV', 'EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

export function cannotLink(error: unknown): boolean {
  return failedWith(error, ...CANNOT_LINK);
}

/** Links a file, or copies it with its mode and date if it cannot be linked. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!cannotLink(error)) throw error;
    const { mode, atimeMs, mtimeMs } = await stat(from);
    await writeDurably(to, createReadStream(from), { mode: mode & 0o777 });
    await utimes(to, atimeMs / 1000, mtimeMs / 1000);
  }
}
