import { createReadStream } from 'node:fs';
import { link, mkdir, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listObjectFiles } from './condemned.ts';
import { syncFolder, writeDurably } from './durability.ts';
import { failedWith, undefinedIfMissing } from './file-errors.ts';
import { inPortions } from './in-portions.ts';
import { FOLDER_MODE, type RepositoryFolder } from './repository-layout.ts';

/**
 * Gives the repository in folder `to` all object files of another one, and returns when they are there for good. They
 * are the same files under a second name: git never changes one, and deleting one name leaves the other. They keep
 * their dates, so what is unused grows old in both alike.
 */
export async function linkObjects(from: RepositoryFolder, to: string): Promise<void> {
  const objects = join(to, 'objects');
  // Older than the list of objects: it must not name a commit that is not there.
  const graph = join('info', 'commit-graph');
  await undefinedIfMissing(linkOrCopy(join(from.objects, graph), join(objects, graph)));
  const paths = (await listObjectFiles(from)).map(({ path }) => path);
  const folders = [...new Set(paths.map((path) => dirname(path)))];
  await inPortions(folders, (folder) => mkdir(join(objects, folder), { recursive: true, mode: FOLDER_MODE }));
  await inPortions(paths, (path) => linkOrCopy(join(from.objects, path), join(objects, path)));
  await inPortions([...folders, 'info', '.'], (folder) => syncFolder(join(objects, folder)));
}

/** Copies where the file system makes no link: between two of them, of another account's file, or one link too many. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!failedWith(error, 'EXDEV', 'EPERM', 'EMLINK')) throw error;
    const { mode, atimeMs, mtimeMs } = await stat(from);
    await writeDurably(to, createReadStream(from), { mode: mode & 0o777 });
    await utimes(to, atimeMs / 1000, mtimeMs / 1000);
  }
}
