import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { FOLDER_MODE, syncFolder } from '../../core/durable-files.ts';
import { failedWith, undefinedIfMissing } from './file-errors.ts';
import { type ObjectFile, packOf } from './object-files.ts';
import type { RepositoryFolder } from './repository-layout.ts';

/** Folder in a workshop for object files that are hidden from git but not yet deleted. */
const CONDEMNED = 'condemned';
/** Folder in a workshop for object files whose deletion is decided. */
const DELETED = 'deleted';

/**
 * Hides files from git by moving them to the workshop. Keeps files that were written again since they were listed,
 * because a push brought the same objects. A pack with such a file stays whole.
 */
export async function condemn(
  folder: RepositoryFolder,
  workshop: string,
  files: readonly ObjectFile[],
): Promise<void> {
  // git finds a pack by its index, so the index moves first.
  const indexesFirst = [...files].sort(
    (a, b) => Number(b.path.endsWith('.idx')) - Number(a.path.endsWith('.idx')),
  );
  const kept = await findChanged(folder, files);
  const made = new Set<string>();
  for (const { path } of indexesFirst.filter((file) => !kept.has(packOf(file.path)))) {
    const from = join(folder.objects, path);
    const to = join(workshop, CONDEMNED, path);
    if (!made.has(dirname(to))) await mkdir(dirname(to), { recursive: true, mode: FOLDER_MODE });
    made.add(dirname(to));
    await rename(from, to);
  }
}

/** Finds packs and loose objects with a file that was rewritten or deleted since it was listed. */
async function findChanged(
  folder: RepositoryFolder,
  files: readonly ObjectFile[],
): Promise<ReadonlySet<string>> {
  const changed = new Set<string>();
  for (const { path, writtenAtMs } of files) {
    const stats = await undefinedIfMissing(stat(join(folder.objects, path)));
    if (stats?.mtimeMs !== writtenAtMs) changed.add(packOf(path));
  }
  return changed;
}

/** Moves condemned files back into the repository. */
export async function restoreCondemned(folder: RepositoryFolder, workshop: string): Promise<void> {
  const root = join(workshop, CONDEMNED);
  const files = (await filesBelow(root)).map((path) => relative(root, path));
  const indexesLast = files.sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')));
  const touched = new Set<string>();
  for (const path of indexesLast) {
    const to = join(folder.objects, path);
    await mkdir(dirname(to), { recursive: true, mode: FOLDER_MODE });
    touched.add(dirname(to));
    // A missing file was restored concurrently.
    await undefinedIfMissing(rename(join(root, path), to));
  }
  for (const path of touched) await syncFolder(path);
}

/** Decides to delete condemned files. One rename covers all of them, because git rejects a partly restored history. */
export async function discardCondemned(workshop: string): Promise<void> {
  await undefinedIfMissing(rename(join(workshop, CONDEMNED), join(workshop, DELETED)));
}

/** Restores condemned files of processes that ended before the decision to delete them, because refs may need them. */
export async function restoreAbandoned(folder: RepositoryFolder, inUse: ReadonlySet<string>): Promise<void> {
  const names = (await undefinedIfMissing(readdir(folder.workshops))) ?? [];
  for (const name of names) {
    const workshop = join(folder.workshops, name);
    if (!inUse.has(workshop)) await restoreCondemned(folder, workshop);
  }
}

async function filesBelow(root: string): Promise<readonly string[]> {
  try {
    const found = await readdir(root, { recursive: true, withFileTypes: true });
    return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return [];
    throw error;
  }
}
