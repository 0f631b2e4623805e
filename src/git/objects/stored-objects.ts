import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { RepositoryFolder } from '../folders/repository-layout.ts';
import type { ObjectFormat, Oid } from '../format/model.ts';
import { listIndexes, openIndex } from '../pack-files/pack-index.ts';
import { loosePath } from './loose-objects.ts';

/**
 * Returns which of some objects may be in files of a repository, without a git process. A repack at the same moment can
 * hide one.
 */
export function findStored(
  folder: RepositoryFolder,
  format: ObjectFormat,
  oids: readonly Oid[],
): ReadonlySet<Oid> {
  const isLoose = (oid: Oid) =>
    statSync(join(folder.objects, loosePath(oid)), { throwIfNoEntry: false }) !== undefined;
  const found = new Set(oids.filter(isLoose));
  // An index that only git can read may have any of them.
  for (const path of listIndexes(folder.packs))
    for (const oid of findInIndex(path, format, oids) ?? oids) found.add(oid);
  return found;
}

/** Returns which of some objects are in the packs of a folder that nothing else changes. */
export function findPacked(packs: string, format: ObjectFormat, oids: readonly Oid[]): ReadonlySet<Oid> {
  return new Set(listIndexes(packs).flatMap((path) => findInIndex(path, format, oids) ?? []));
}

/** @returns undefined for an index that only git can read */
function findInIndex(path: string, format: ObjectFormat, oids: readonly Oid[]): readonly Oid[] | undefined {
  using index = openIndex(path, format);
  if (index === undefined) return [];
  return index.isKnown ? oids.filter((oid) => index.has(oid)) : undefined;
}
