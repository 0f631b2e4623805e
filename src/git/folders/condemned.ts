import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { syncFolder } from './durability.ts';
import { failedWith, undefinedIfMissing } from './file-errors.ts';
import { FOLDER_MODE, type RepositoryFolder } from './repository-layout.ts';

/** The part of a workshop where object files wait between being hidden and being deleted. */
const CONDEMNED = 'condemned';
/** The part of it where they are once that is decided. */
const DELETED = 'deleted';

/** A file below `objects/`, and when it was written. */
export interface ObjectFile {
  /** below `objects/` */
  readonly path: string;
  readonly writtenAtMs: number;
}

/** All packs and loose objects there are. A pack that is being moved in, or is not whole, is none. */
export async function listObjectFiles(folder: RepositoryFolder): Promise<readonly ObjectFile[]> {
  const found = await readdir(folder.objects, { recursive: true, withFileTypes: true });
  const paths = found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder.objects, join(entry.parentPath, entry.name)))
    .filter((path) => /^(?:pack\/pack-|[0-9a-f]{2}\/[0-9a-f]+$)/.test(path));
  const all = new Set(paths);
  const isWhole = (path: string) => ['.pack', '.idx'].every((end) => all.has(packOf(path) + end));
  const files: ObjectFile[] = [];
  for (const path of paths.filter((each) => !each.startsWith('pack/') || isWhole(each))) {
    const stats = await undefinedIfMissing(stat(join(folder.objects, path)));
    if (stats !== undefined) files.push({ path, writtenAtMs: stats.mtimeMs });
  }
  return files;
}

/** What all files of a pack have in common; of a loose object its path. */
function packOf(path: string): string {
  return path.replace(/\.[a-z]+$/, '');
}

/**
 * Takes files out of git's sight, into the workshop. Those that were written again since they were
 * listed are left, and packs with them whole: a push brought the same objects.
 */
export async function condemn(
  folder: RepositoryFolder,
  workshop: string,
  files: readonly ObjectFile[],
): Promise<void> {
  // A pack is found by its index, so that goes first.
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

/** The packs and loose objects of which a file was written again, or is gone, since they were listed. */
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

/** Puts condemned files back. */
export async function pardon(folder: RepositoryFolder, workshop: string): Promise<void> {
  const root = join(workshop, CONDEMNED);
  const files = (await filesBelow(root)).map((path) => relative(root, path));
  const indexesLast = files.sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')));
  const touched = new Set<string>();
  for (const path of indexesLast) {
    const to = join(folder.objects, path);
    await mkdir(dirname(to), { recursive: true, mode: FOLDER_MODE });
    touched.add(dirname(to));
    // Where it is gone, somebody else has just put it back.
    await undefinedIfMissing(rename(join(root, path), to));
  }
  for (const path of touched) await syncFolder(path);
}

/** Condemned files will not come back. All of them at once: of a history that came back in part, git would complain. */
export async function forsake(workshop: string): Promise<void> {
  await undefinedIfMissing(rename(join(workshop, CONDEMNED), join(workshop, DELETED)));
}

/** A process that ended between hiding objects and deciding on them left them hidden: they may be needed. */
export async function restoreCondemned(folder: RepositoryFolder, inUse: ReadonlySet<string>): Promise<void> {
  const names = (await undefinedIfMissing(readdir(folder.workshops))) ?? [];
  for (const name of names) {
    const workshop = join(folder.workshops, name);
    if (!inUse.has(workshop)) await pardon(folder, workshop);
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
