import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { undefinedIfMissing } from './file-errors.ts';
import type { RepositoryFolder } from './repository-layout.ts';

/** A file below `objects/` and the time of its last write. */
export interface ObjectFile {
  /** relative to `objects/` */
  readonly path: string;
  readonly writtenAtMs: number;
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
  for (const path of paths.filter((each) => !each.startsWith('pack/') || isWhole(each))) {
    const stats = await undefinedIfMissing(stat(join(folder.objects, path)));
    if (stats !== undefined) files.push({ path, writtenAtMs: stats.mtimeMs });
  }
  return files;
}

/** Returns the common prefix of all files of a pack; for a loose object its path. */
export function packOf(path: string): string {
  return path.replace(/\.[a-z]+$/, '');
}
