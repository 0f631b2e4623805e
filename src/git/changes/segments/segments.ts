import { join } from 'node:path';
import { failedWith } from '../../folders/file-errors.ts';
import { DamagedIndexError } from './format.ts';
import { type Manifest, NO_MANIFEST } from './manifest.ts';
import { SegmentFile } from './segment-file.ts';

interface OpenSegments {
  readonly manifest: Manifest;
  readonly files: SegmentFile[];
}

/** Opens the segments of an index. A damaged index counts as empty, because it can be built again. */
export function openSegments(folder: string, manifest: Manifest, oidBytes: number): OpenSegments {
  const files: SegmentFile[] = [];
  try {
    let base = 0;
    for (const name of manifest.segments) {
      const file = new SegmentFile(join(folder, name));
      files.push(file);
      if (file.sizes.base !== base || file.sizes.oidBytes !== oidBytes) {
        throw new DamagedIndexError('a segment belongs to another index');
      }
      base += file.sizes.commits;
    }
    return { manifest, files };
  } catch (error) {
    closeAll(files);
    if (!(error instanceof DamagedIndexError) && !failedWith(error, 'ENOENT')) throw error;
    return { manifest: NO_MANIFEST, files: [] };
  }
}

export function closeAll(files: readonly SegmentFile[]): void {
  for (const file of files) file.close();
}

/**
 * Returns the number of an indexed commit. Searches the last segment first, because new commits are looked up most
 * often.
 */
export function numberIn(files: readonly SegmentFile[], oid: Buffer): number | undefined {
  for (let index = files.length - 1; index >= 0; index -= 1) {
    const number = files[index]?.numberOf(oid);
    if (number !== undefined) return number;
  }
  return undefined;
}
