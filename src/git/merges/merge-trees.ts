import { setImmediate } from 'node:timers/promises';
import { conflict, type ForgeError } from '../../base/core/failure.ts';
import { currentCaller } from '../../base/core/fairness/caller.ts';
import type { GitObject, ObjectFormat, Oid, TreeEntry } from '../format/model.ts';
import { bytesOfName } from '../format/name-bytes.ts';
import { newObject } from '../format/new-object.ts';
import type { StoredTree } from '../format/stored-tree.ts';
import type { ObjectReader } from '../interface/snapshot.ts';
import type { TreeMerge } from '../interface/writes.ts';
import { GIT_LIMITS } from '../limits.ts';
import { changedEntries, openCompared } from '../trees/changed-entries.ts';

export interface MergedTree {
  readonly root: Oid;
  /** the new trees, the root last */
  readonly objects: readonly GitObject[];
}

interface TreeSource {
  readonly objects: ObjectReader;
  readonly objectFormat: ObjectFormat;
}

/**
 * Merges two versions of a tree whose changes are at different paths. Reads only the folders that both sides have changed.
 *
 * A side may also have renamed files. git then looks for the new name of a file that the other side has changed or
 * deleted, or of a folder that it has added to. All of these have the same old path in the changes of both sides, so the
 * merge is left to git, and this function never returns another tree than git would.
 *
 * @returns undefined if git has to merge: both sides have changed a path, or there is too much to compare
 * @throws ForgeError `conflict` for folders that are nested too deeply, also for git; the reason of the caller's leaving
 */
export async function mergeTrees(source: TreeSource, merge: TreeMerge): Promise<MergedTree | undefined> {
  const merging = new Merging(source);
  const root = await merging.folder(merge, 0);
  if (root === undefined) return undefined;
  if (root !== null) return { root, objects: merging.objects };
  const empty = newObject(source.objectFormat, 'tree', new Uint8Array());
  return { root: empty.oid, objects: [...merging.objects, empty] };
}

class Merging {
  readonly objects: GitObject[] = [];
  readonly #source: TreeSource;
  #entriesSeen = 0;
  #seenAtLastTurn = 0;

  constructor(source: TreeSource) {
    this.#source = source;
  }

  /** @returns the id of the merged folder; null if it has no entries; undefined if git has to merge */
  async folder(merge: TreeMerge, depth: number): Promise<Oid | null | undefined> {
    if (merge.theirs === merge.base) return merge.ours;
    if (merge.ours === merge.base) return merge.theirs;
    if (depth > GIT_LIMITS.mergedFolderDepthMax) throw tooDeep();
    const [base, ours, theirs] = [
      await openCompared(this.#source, merge.base),
      await openCompared(this.#source, merge.ours),
      await openCompared(this.#source, merge.theirs),
    ];
    if (!(await this.#hasRoomFor([base, ours, theirs]))) return undefined;
    if (![base, ours, theirs].every((tree) => tree === null || tree.isSorted)) return undefined;
    const changes = new Map<string, TreeEntry | null>();
    for (const { before, after, either } of changedEntries(base, theirs)) {
      const own = ours?.find(bytesOfName(either.name));
      if (isSame(own, before)) changes.set(either.name, after ?? null);
      else if (isFolder(own) && isFolder(before) && isFolder(after)) {
        const below = { base: before.oid, ours: own.oid, theirs: after.oid };
        const merged = await this.folder(below, depth + 1);
        if (merged === undefined) return undefined;
        if (merged !== own.oid) changes.set(either.name, merged === null ? null : { ...own, oid: merged });
      } else if (!isSame(own, after) || !isFile(own) || !isFile(before)) return undefined;
    }
    if (changes.size === 0) return merge.ours;
    return this.#write(ours, changes);
  }

  #write(ours: StoredTree | null, changes: ReadonlyMap<string, TreeEntry | null>): Oid | null | undefined {
    if (ours === null) return undefined;
    const content = ours.with(changes);
    if (content.length === 0) return null;
    const tree = newObject(this.#source.objectFormat, 'tree', content);
    this.objects.push(tree);
    return tree.oid;
  }

  async #hasRoomFor(trees: readonly (StoredTree | null)[]): Promise<boolean> {
    for (const tree of trees) this.#entriesSeen += tree?.size ?? 0;
    // Trees in memory need no input or output, so nothing else would get a turn.
    if (this.#entriesSeen - this.#seenAtLastTurn >= GIT_LIMITS.treeEntriesInOneGo) {
      this.#seenAtLastTurn = this.#entriesSeen;
      await setImmediate();
      currentCaller().left?.throwIfAborted();
    }
    return this.#entriesSeen <= GIT_LIMITS.treeEntriesComparedMax;
  }
}

function tooDeep(): ForgeError {
  return conflict(
    `this merge compares folders nested deeper than ${GIT_LIMITS.mergedFolderDepthMax}: merge in a clone and push the result`,
  );
}

function isFolder(entry: TreeEntry | undefined): entry is TreeEntry {
  return entry?.mode === '040000';
}

function isFile(entry: TreeEntry | undefined): boolean {
  return entry !== undefined && !isFolder(entry);
}

function isSame(one: TreeEntry | undefined, other: TreeEntry | undefined): boolean {
  return one?.oid === other?.oid && one?.mode === other?.mode;
}
