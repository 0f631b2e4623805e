import { invalid } from '../../base/core/failure.ts';
import type { Oid } from '../format/model.ts';
import { BRANCHES } from '../format/ref-names.ts';
import type { RefRejection, RefResult, RefUpdate } from '../interface/refs.ts';
import type { ObjectReader } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import type { Ref, RefChanges, RefTable } from './ref-table.ts';

export interface Decided {
  readonly results: readonly RefResult[];
  readonly moved: readonly RefUpdate[];
}

/**
 * Decides which `updates` apply to `refs`: the ref must still be at `old`, and its name must be neither a folder of
 * another ref nor below one. Deletions count first, so that a push can delete a ref and reuse its folder.
 */
export function decideUpdates(
  refs: RefTable,
  updates: readonly RefUpdate[],
  options: { atomic: boolean },
): Decided {
  const inOrder = [...updates].sort((a, b) => Number(a.new !== null) - Number(b.new !== null));
  const rejections = new Map<string, RefRejection>();
  const names = new Names(refs);
  for (const update of inOrder) {
    const why = rejectionOf(refs, names, update);
    if (why !== undefined) rejections.set(update.ref, why);
    else names.add(update);
  }
  if (options.atomic && rejections.size > 0) rejectAll(updates, rejections);
  return {
    results: updates.map(({ ref }) => toResult(ref, rejections.get(ref))),
    moved: updates.filter(({ ref }) => !rejections.has(ref)),
  };
}

function rejectionOf(refs: RefTable, names: Names, update: RefUpdate): RefRejection | undefined {
  if ((refs.get(update.ref)?.oid ?? null) !== update.old) return 'stale';
  const isCreation = update.old === null && update.new !== null;
  return isCreation && names.conflictWith(update.ref) ? 'name-conflict' : undefined;
}

function rejectAll(updates: readonly RefUpdate[], rejections: Map<string, RefRejection>): void {
  for (const { ref } of updates) {
    if (!rejections.has(ref)) rejections.set(ref, 'atomic');
  }
}

function toResult(ref: string, why: RefRejection | undefined): RefResult {
  return why === undefined ? { ref, outcome: 'moved' } : { ref, outcome: 'rejected', why };
}

/** Tracks the names in use while the updates of one push are processed. */
class Names {
  readonly #refs: RefTable;
  readonly #gone = new Set<string>();
  readonly #made = new Set<string>();
  readonly #madeFolders = new Set<string>();

  constructor(refs: RefTable) {
    this.#refs = refs;
  }

  add(update: RefUpdate): void {
    if (update.new === null) this.#gone.add(update.ref);
    else if (update.old === null) {
      this.#made.add(update.ref);
      for (const folder of foldersOf(update.ref)) this.#madeFolders.add(folder);
    }
  }

  conflictWith(name: string): boolean {
    if (this.#madeFolders.has(name) || this.#hasOldBelow(name)) return true;
    return foldersOf(name).some((folder) => this.#made.has(folder) || this.#hasOld(folder));
  }

  #hasOld(name: string): boolean {
    return this.#refs.get(name) !== undefined && !this.#gone.has(name);
  }

  #hasOldBelow(folder: string): boolean {
    if (this.#gone.size === 0) return this.#refs.hasBelow(folder);
    for (const [name] of this.#refs.entries(`${folder}/`)) {
      if (!this.#gone.has(name)) return true;
    }
    return false;
  }
}

/** Returns all folders of a name: `refs/heads/a/b` is in `refs/heads/a`, `refs/heads` and `refs`. */
function foldersOf(name: string): string[] {
  const folders: string[] = [];
  for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1)) {
    folders.push(name.slice(0, at));
  }
  return folders;
}

/** @throws ForgeError `invalid` if two updates name the same ref */
export function requireDistinct(updates: readonly RefUpdate[]): void {
  const names = new Set(updates.map(({ ref }) => ref));
  if (names.size < updates.length) throw invalid('a ref is named twice in one push');
}

export function toChanges(moved: readonly RefUpdate[], targets: ReadonlyMap<string, Ref>): RefChanges {
  return new Map(moved.map(({ ref, new: oid }) => [ref, oid === null ? null : (targets.get(ref) ?? null)]));
}

const TARGETS_AT_ONCE = 1_000;

/**
 * Reads the new targets of refs and follows annotated tags to their end.
 *
 * @throws ForgeError `invalid` for a missing object, or a branch that would not point to a commit
 */
export async function readTargets(
  objects: ObjectReader,
  updates: readonly RefUpdate[],
): Promise<ReadonlyMap<string, Ref>> {
  const targets = new Map<string, Ref>();
  for (let at = 0; at < updates.length; at += TARGETS_AT_ONCE) {
    const some = updates.slice(at, at + TARGETS_AT_ONCE);
    await Promise.all(
      some.map(async (update) => {
        if (update.new !== null) targets.set(update.ref, await readTarget(objects, update.ref, update.new));
      }),
    );
  }
  return targets;
}

async function readTarget(objects: ObjectReader, ref: string, oid: Oid): Promise<Ref> {
  const info = await objects.info(oid);
  if (info === undefined) throw invalid(`${ref}: no object ${oid}`);
  if (ref.startsWith(BRANCHES) && info.type !== 'commit') throw invalid(`${ref}: ${oid} is not a commit`);
  return { oid, peeled: info.type === 'tag' ? await peel(objects, oid) : null };
}

/** Peels a tag, as git does, to the first object that is not a tag. */
async function peel(objects: ObjectReader, oid: Oid): Promise<Oid> {
  let at = await objects.readTag(oid);
  for (let steps = 1; at.type === 'tag'; steps += 1) {
    // Ids are hashes of content, so a chain of tags has no cycle. Its length is up to the sender.
    if (steps > GIT_LIMITS.tagChainMax) throw invalid(`${oid} is a tag of a tag, too many times`);
    at = await objects.readTag(at.object);
  }
  return at.object;
}
