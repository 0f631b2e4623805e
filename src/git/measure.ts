import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { undefinedIfMissing } from './file-errors.ts';
import type { RepositoryFolder } from './repository-layout.ts';

/** Bytes of all files below `objects/`; none for a repository that was never written to. */
export async function measureObjects(folder: RepositoryFolder): Promise<number> {
  const found = await undefinedIfMissing(readdir(folder.objects, { recursive: true, withFileTypes: true }));
  let bytes = 0;
  for (const entry of found ?? []) {
    if (!entry.isFile()) continue;
    // A repack may take it away meanwhile.
    bytes += (await undefinedIfMissing(stat(join(entry.parentPath, entry.name))))?.size ?? 0;
  }
  return bytes;
}
