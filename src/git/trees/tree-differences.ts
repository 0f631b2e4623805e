import { setImmediate } from 'node:timers/promises';
import { invalid } from '../../base/core/failure.ts';
import { currentCaller } from '../../base/core/fairness/caller.ts';
import type { ObjectFormat, Oid, TreeEntry } from '../format/model.ts';
import { textOfPath } from '../format/name-bytes.ts';
import type { ObjectReader } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import { changedEntries, openCompared } from './changed-entries.ts';

interface Pair {
  readonly folder: string;
  readonly before: Oid | null;
  readonly after: Oid | null;
}

/**
 * Yields the paths of files, links and submodules that differ between two trees. Skips equal folders, so the cost depends
 * on the differences. A caller that has seen enough ends it early.
 *
 * @param trees null: no tree
 * @throws ForgeError `invalid` for trees with too many differences; the reason of the caller's leaving
 */
export async function* differingPaths(
  source: { readonly objects: ObjectReader; readonly objectFormat: ObjectFormat },
  trees: { readonly before: Oid | null; readonly after: Oid | null },
): AsyncGenerator<string, void> {
  const { left } = currentCaller();
  let seen = 0;
  let seenAtLastTurn = 0;
  const pending: Pair[] = [{ folder: '', ...trees }];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [before, after] = [await openCompared(source, pair.before), await openCompared(source, pair.after)];
    seen += (before?.size ?? 0) + (after?.size ?? 0);
    if (seen > GIT_LIMITS.treeEntriesComparedMax) throw tooMany();
    for (const { before: one, after: other, either } of changedEntries(before, after)) {
      const path = pathIn(pair.folder, either);
      const folders = { before: treeIn(one), after: treeIn(other) };
      if (folders.before !== folders.after) pending.push({ folder: path, ...folders });
      if (isFile(one) || isFile(other)) yield path;
    }
    // Trees in memory need no input or output, so nothing else would get a turn.
    if (seen - seenAtLastTurn < GIT_LIMITS.treeEntriesInOneGo) continue;
    seenAtLastTurn = seen;
    await setImmediate();
    left?.throwIfAborted();
  }
}

function pathIn(folder: string, { name }: TreeEntry): string {
  const path = folder === '' ? name : `${folder}/${name}`;
  if (textOfPath(path).length > GIT_LIMITS.treePathBytesMax) throw tooMany();
  return path;
}

function treeIn(entry: TreeEntry | undefined): Oid | null {
  return entry?.mode === '040000' ? entry.oid : null;
}

function isFile(entry: TreeEntry | undefined): boolean {
  return entry !== undefined && entry.mode !== '040000';
}

function tooMany() {
  return invalid('this change has too many or too long paths to compare them with file patterns');
}
