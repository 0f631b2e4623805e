import type { ObjectFormat, Oid, TreeEntry } from '../format/model.ts';
import { emptyTreeOid } from '../format/object-format.ts';
import type { StoredTree } from '../format/stored-tree.ts';
import type { ObjectReader } from '../interface/snapshot.ts';

/** A name at which two trees have different entries; undefined: no entry. */
export interface ChangedEntry {
  readonly before: TreeEntry | undefined;
  readonly after: TreeEntry | undefined;
  /** the one that is there, `after` if both are */
  readonly either: TreeEntry;
}

/**
 * Lists the names at which two trees differ: those of `before` in its order, then new ones. Only these become objects.
 *
 * @param before null: no tree
 * @param after null: no tree
 */
export function changedEntries(before: StoredTree | null, after: StoredTree | null): readonly ChangedEntry[] {
  const isSorted = before?.isSorted === true && after?.isSorted === true;
  const { gone, come } = isSorted
    ? walk(before, after)
    : { gone: before?.entries ?? [], come: after?.entries ?? [] };
  const changes = new Map<string, ChangedEntry>();
  for (const entry of gone) changes.set(entry.name, { before: entry, after: undefined, either: entry });
  for (const entry of come) {
    const key = entry.name;
    changes.set(key, { before: changes.get(key)?.before, after: entry, either: entry });
  }
  return [...changes.values()].filter(isChange);
}

/** Opens a tree to be compared; null for none, and for the empty one, which is stored nowhere. */
export async function openCompared(
  source: { readonly objects: ObjectReader; readonly objectFormat: ObjectFormat },
  tree: Oid | null,
): Promise<StoredTree | null> {
  return tree === null || tree === emptyTreeOid(source.objectFormat) ? null : source.objects.openTree(tree);
}

/** Trees may write the same mode in several ways. */
function isChange({ before, after }: ChangedEntry): boolean {
  return before?.oid !== after?.oid || before?.mode !== after?.mode;
}

/** Returns the entries of each tree that the other one does not have in the same bytes. */
function walk(before: StoredTree, after: StoredTree): { gone: TreeEntry[]; come: TreeEntry[] } {
  const gone: TreeEntry[] = [];
  const come: TreeEntry[] = [];
  let [ours, theirs] = [0, 0];
  while (ours < before.size || theirs < after.size) {
    const areBoth = ours < before.size && theirs < after.size;
    if (areBoth && before.isSameAt(ours, after, theirs)) {
      ours += 1;
      theirs += 1;
      continue;
    }
    const order = areBoth ? before.compareAt(ours, after, theirs) : theirs < after.size ? 1 : -1;
    if (order <= 0) gone.push(...entryAt(before, ours));
    if (order >= 0) come.push(...entryAt(after, theirs));
    if (order <= 0) ours += 1;
    if (order >= 0) theirs += 1;
  }
  return { gone, come };
}

function entryAt(tree: StoredTree, index: number): readonly TreeEntry[] {
  const entry = tree.entryAt(index);
  return entry === undefined ? [] : [entry];
}
