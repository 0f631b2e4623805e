import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { undefinedIfMissing } from '../folders/file-errors.ts';
import { inBatches } from '../folders/in-batches.ts';
import type { RepositoryFolder } from '../folders/repository-layout.ts';
import type { ObjectsMeasure } from '../interface/upkeep.ts';

/** Measures all files below `objects/`. A repository without writes has no folder and measures zero. */
export async function measureObjects(folder: RepositoryFolder): Promise<ObjectsMeasure> {
  const found = await undefinedIfMissing(readdir(folder.objects, { recursive: true, withFileTypes: true }));
  const measure = { bytes: 0, packs: 0, looseObjects: 0 };
  const files = (found ?? []).filter((entry) => entry.isFile());
  await inBatches(files, async (entry) => {
    if (entry.name.endsWith('.pack')) measure.packs += 1;
    if (/\/[0-9a-f]{2}$/.test(entry.parentPath)) measure.looseObjects += 1;
    // A repack may have deleted the file.
    const stats = await undefinedIfMissing(stat(join(entry.parentPath, entry.name)));
    measure.bytes += stats?.size ?? 0;
  });
  return measure;
}
