import { mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { FOLDER_MODE, syncFolder } from '../../base/core/files/durable-files.ts';
import { failedWith, undefinedIfMissing } from './file-errors.ts';
import { indexesFirst } from './object-files.ts';
import type { RepositoryFolder } from './repository-layout.ts';

/** Folder in a workshop for object files that are hidden from git but not yet deleted. */
const CONDEMNED = 'condemned';
/** Folder in a workshop for object files whose deletion is decided. */
const DELETED = 'deleted';

/** Hides files from git by moving them to the workshop. @param paths relative to `objects/` */
export async function condemn(
  folder: RepositoryFolder,
  workshop: string,
  paths: readonly string[],
): Promise<void> {
  for (const path of indexesFirst(paths)) {
    const to = join(workshop, CONDEMNED, path);
    await mkdir(dirname(to), { recursive: true, mode: FOLDER_MODE });
    await rename(join(folder.objects, path), to);
  }
}

/** Moves condemned files back into the repository. */
export async function pardon(folder: RepositoryFolder, workshop: string): Promise<void> {
  const root = condemnedFolder(workshop);
  const files = (await filesBelow(root)).map((path) => relative(root, path));
  const indexesLast = indexesFirst(files).toReversed();
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
  await undefinedIfMissing(rename(condemnedFolder(workshop), join(workshop, DELETED)));
}

/** Restores condemned files of processes that ended before the decision to delete them, because refs may need them. */
export async function pardonAbandoned(folder: RepositoryFolder, inUse: ReadonlySet<string>): Promise<void> {
  for (const workshop of await workshopsIn(folder)) {
    if (!inUse.has(workshop)) await pardon(folder, workshop);
  }
}

/** Whether a workshop has condemned files. */
export async function hasCondemned(workshop: string): Promise<boolean> {
  return (await filesBelow(condemnedFolder(workshop))).length > 0;
}

/** Lists the folders of condemned files. Each has the layout of `objects/`. */
export async function listCondemned(folder: RepositoryFolder): Promise<readonly string[]> {
  return (await workshopsIn(folder)).map(condemnedFolder);
}

async function workshopsIn(folder: RepositoryFolder): Promise<readonly string[]> {
  const names = (await undefinedIfMissing(readdir(folder.workshops))) ?? [];
  return names.map((name) => join(folder.workshops, name));
}

function condemnedFolder(workshop: string): string {
  return join(workshop, CONDEMNED);
}

/** Lists all files below a folder, which may be missing. */
export async function filesBelow(root: string): Promise<readonly string[]> {
  try {
    const found = await readdir(root, { recursive: true, withFileTypes: true });
    return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return [];
    throw error;
  }
}
