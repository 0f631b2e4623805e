import { open, readdir, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { DeletedObjects } from '../interface/upkeep.ts';
import { undefinedIfMissing } from './file-errors.ts';
import { inBatches } from './in-batches.ts';
import type { RepositoryFolder } from './repository-layout.ts';

/** A file below `objects/`, the time of its last write and its size. */
export interface ObjectFile {
  /** relative to `objects/` */
  readonly path: string;
  readonly writtenAtMs: number;
  readonly bytes: number;
}

/** Lists the files of all packs and loose objects. Leaves out partial packs, such as one that is being moved in. */
export async function listObjectFiles(folder: RepositoryFolder): Promise<readonly ObjectFile[]> {
  const found = await readdir(folder.objects, { recursive: true, withFileTypes: true });
  const paths = found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder.objects, join(entry.parentPath, entry.name)))
    .filter((path) => /^(?:pack\/pack-|[0-9a-f]{2}\/[0-9a-f]+$)/.test(path));
  const all = new Set(paths);
  const isWhole = (path: string) => ['.pack', '.idx'].every((end) => all.has(packOf(path) + end));
  const files: ObjectFile[] = [];
  const whole = paths.filter((each) => !each.startsWith('pack/') || isWhole(each));
  await inBatches(whole, async (path) => {
    const stats = await undefinedIfMissing(stat(join(folder.objects, path)));
    if (stats !== undefined) files.push({ path, writtenAtMs: stats.mtimeMs, bytes: stats.size });
  });
  return files;
}

/** Returns the common prefix of all files of a pack; for a loose object its path. */
export function packOf(path: string): string {
  return path.replace(/\.[a-z]+$/, '');
}

/** Returns the names of the packs among files, such as `pack-0123`. */
export function packNames(files: readonly Pick<ObjectFile, 'path'>[]): readonly string[] {
  return files.flatMap(({ path }) => /^pack\/(pack-[0-9a-f]+)\.pack$/.exec(path)?.[1] ?? []);
}

/** Start of the number of objects in an index: see gitformat-pack(5). */
const INDEX_COUNT_AT = 8 + 255 * 4;

/** Returns the number of objects in a pack. */
export async function countObjects(folder: RepositoryFolder, pack: string): Promise<number> {
  await using index = await open(join(folder.packs, `${pack}.idx`));
  const { buffer } = await index.read(Buffer.alloc(4), { position: INDEX_COUNT_AT });
  return buffer.readUInt32BE();
}

export async function sizeOfPacks(
  folder: RepositoryFolder,
  packs: readonly string[],
): Promise<DeletedObjects> {
  const sizes = { objects: 0, bytes: 0 };
  for (const pack of packs) {
    sizes.objects += await countObjects(folder, pack);
    sizes.bytes += (await stat(join(folder.packs, `${pack}.pack`))).size;
  }
  return sizes;
}

/** Sorts the paths in the order in which files may go: git finds a pack by its index. */
export function indexesFirst(paths: readonly string[]): readonly string[] {
  return [...paths].sort((a, b) => Number(b.endsWith('.idx')) - Number(a.endsWith('.idx')));
}

/**
 * Deletes files. Keeps those that were written again since they were listed, because a push brought the same objects. A
 * pack with such a file stays whole.
 *
 * @param files with every file of each pack
 */
export async function deleteUnchanged(folder: RepositoryFolder, files: readonly ObjectFile[]): Promise<void> {
  const kept = await findChanged(folder, files);
  const going = files.map(({ path }) => path).filter((path) => !kept.has(packOf(path)));
  const isIndex = (path: string) => path.endsWith('.idx');
  // git finds a pack by its index.
  for (const paths of [going.filter(isIndex), going.filter((path) => !isIndex(path))])
    await inBatches(paths, (path) => rm(join(folder.objects, path), { force: true }));
}

/** Finds packs and loose objects with a file that was rewritten or deleted since it was listed. */
async function findChanged(
  folder: RepositoryFolder,
  files: readonly ObjectFile[],
): Promise<ReadonlySet<string>> {
  const changed = new Set<string>();
  await inBatches(files, async ({ path, writtenAtMs }) => {
    const stats = await undefinedIfMissing(stat(join(folder.objects, path)));
    if (stats?.mtimeMs !== writtenAtMs) changed.add(packOf(path));
  });
  return changed;
}
