import type { Oid, TreeEntry } from '../format/model.ts';
import type { ObjectReader } from '../interface/snapshot.ts';

/** Finds the entry at `path`. Returns undefined if it is absent or the path leads through a non-folder. */
export async function findEntry(
  objects: ObjectReader,
  rootTree: Oid,
  path: string,
): Promise<TreeEntry | undefined> {
  let entry: TreeEntry | undefined;
  let tree: Oid | undefined = rootTree;
  for (const name of path.split('/')) {
    if (tree === undefined) return undefined;
    entry = (await objects.openTree(tree)).find(name);
    tree = entry?.mode === '040000' ? entry.oid : undefined;
    if (entry === undefined) return undefined;
  }
  return entry;
}
