import { setImmediate } from 'node:timers/promises';
import { currentCaller } from '../../base/core/fairness/caller.ts';
import type { Oid, TreeEntry } from '../../git/format/model.ts';
import type { ObjectReader } from '../../git/interface/snapshot.ts';
import { GIT_LIMITS } from '../../git/limits.ts';
import { GIT_DATA_LIMITS } from './limits.ts';

export interface FoundEntry {
  readonly path: string;
  readonly mode: TreeEntry['mode'];
  readonly oid: Oid;
}

/**
 * Lists the entries of a tree, each folder before its entries. A small tree can describe millions of entries, so the
 * list ends at `GIT_DATA_LIMITS.treeEntriesListedMax`.
 */
export async function listTree(
  objects: ObjectReader,
  tree: Oid,
  { isRecursive }: { isRecursive: boolean },
): Promise<{ readonly entries: readonly FoundEntry[]; readonly isComplete: boolean }> {
  const found: FoundEntry[] = [];
  const { left } = currentCaller();
  let atLastTurn = 0;
  /** entries that are still to be listed, the next one last */
  const pending = await entriesBelow(objects, tree, '');
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    if (found.length === GIT_DATA_LIMITS.treeEntriesListedMax) return { entries: found, isComplete: false };
    found.push(entry);
    if (!isRecursive || entry.mode !== '040000') continue;
    // Cached trees need no input or output, so nothing else would get a turn.
    if (found.length - atLastTurn >= GIT_LIMITS.treeEntriesInOneGo) {
      atLastTurn = found.length;
      await setImmediate();
    }
    left?.throwIfAborted();
    for (const below of await entriesBelow(objects, entry.oid, `${entry.path}/`)) pending.push(below);
  }
  return { entries: found, isComplete: true };
}

/** Returns the entries of one tree, the first one last. */
async function entriesBelow(objects: ObjectReader, tree: Oid, prefix: string): Promise<FoundEntry[]> {
  const entries = await objects.readTree(tree);
  return entries.map(({ name, mode, oid }) => ({ path: `${prefix}${name}`, mode, oid })).reverse();
}
