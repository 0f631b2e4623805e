import { CONTENTS_LIMITS } from '../../../code/contents/limits.ts';
import { findLfsPaths } from '../../../code/contents/writing/lfs-paths.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { ObjectReader } from '../../../git/interface/snapshot.ts';
import type { CommitEdit } from '../../../git/trees/commit-builder.ts';
import { findEntry } from '../../../git/trees/find-entry.ts';
import { pathOf } from '../names.ts';

/**
 * Returns the edit that makes git-lfs handle an attachment, so that a clone with git-lfs has its content. The edit adds
 * a line to the `.gitattributes` of the notebook.
 *
 * @param file name of the attachment, and its path in the repository
 * @returns no edit if git-lfs handles the path already, or the line cannot be added; the server finds the object in any
 *   case
 */
export async function attributesFor(
  objects: ObjectReader,
  tree: Oid,
  { folder, name, path }: { folder: string; name: string; path: string },
): Promise<readonly CommitEdit[]> {
  if ((await findLfsPaths(objects, tree, [path])).has(path)) return [];
  const attributes = pathOf(folder, '.gitattributes');
  const entry = await findEntry(objects, tree, attributes);
  const before = entry === undefined ? '' : await readText(objects, entry);
  if (before === undefined) return [];
  const line = `${name} filter=lfs diff=lfs merge=lfs -text\n`;
  const content = Buffer.from(`${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${line}`);
  if (content.length > CONTENTS_LIMITS.lfsAttributesBytesMax) return [];
  return [{ kind: 'put', path: attributes, mode: '100644', content }];
}

/** @returns undefined for anything but a file of a usual size */
async function readText(
  objects: ObjectReader,
  { oid, mode }: { oid: Oid; mode: string },
): Promise<string | undefined> {
  const info = mode === '100644' || mode === '100755' ? await objects.info(oid) : undefined;
  if (info === undefined || info.sizeBytes > CONTENTS_LIMITS.lfsAttributesBytesMax) return undefined;
  return Buffer.from(await objects.readBlob(oid, { blobBytesMax: info.sizeBytes })).toString();
}
