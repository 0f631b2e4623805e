import { join } from 'node:path';
import { syncFolder } from '../../core/durable-files.ts';
import { listObjectFiles, type ObjectFile } from '../folders/object-files.ts';
import type { Workshop } from './workshop.ts';

/**
 * Writes new packs next to the old ones.
 *
 * @param expireBeforeMs leaves out unreachable objects that were written before this time; null keeps all
 * @returns the files that the new packs replace
 */
export async function rewritePacks(
  workshop: Workshop,
  expireBeforeMs: number | null,
): Promise<readonly ObjectFile[]> {
  const { folder } = workshop;
  const old = await listObjectFiles(folder);
  const base = join(folder.packs, 'pack');
  const used = await workshop.git(
    [
      'pack-objects',
      '-q',
      '--all',
      '--revs',
      '--non-empty',
      '--delta-base-offset',
      '--write-bitmap-index',
      base,
    ],
    '',
  );
  const expire = expireBeforeMs === null ? 'never' : `@${Math.floor(expireBeforeMs / 1000)}`;
  const unused = await workshop.git(
    [
      'pack-objects',
      '-q',
      '--cruft',
      `--cruft-expiration=${expire}`,
      '--non-empty',
      '--delta-base-offset',
      base,
    ],
    cruftInput(old, packNames(used)),
  );
  await syncFolder(folder.packs);
  const kept = [...packNames(used), ...packNames(unused)];
  return old.filter(({ path }) => !kept.some((name) => path.startsWith(`pack/${name}.`)));
}

/** Reads the output of pack-objects, which has the hash of each new pack. */
function packNames(answer: string): readonly string[] {
  return answer
    .split('\n')
    .filter((line) => line !== '')
    .map((hash) => `pack-${hash}`);
}

/** Lists packs to keep, and with a dash packs to replace. Objects in neither are loose or new. */
function cruftInput(old: readonly ObjectFile[], fresh: readonly string[]): string {
  const names = old.flatMap(({ path }) => /^pack\/(pack-[0-9a-f]+)\.pack$/.exec(path)?.[1] ?? []);
  const going = names.filter((name) => !fresh.includes(name)).map((name) => `-${name}.pack`);
  return [...fresh.map((name) => `${name}.pack`), ...going, ''].join('\n');
}
