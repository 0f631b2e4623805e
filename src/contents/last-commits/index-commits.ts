import { setImmediate } from 'node:timers/promises';
import { LIMITS } from '../../core/limits.ts';
import type { ListedCommit } from '../../git/history/list-commits.ts';
import type { ObjectReader, Oid, TreeEntry } from '../../git/model.ts';
import {
  childFolder,
  type EntryHistory,
  entryKey,
  type FolderHistory,
  isSameEntry,
  type LastCommit,
} from './model.ts';

/** The history of one folder at one commit. Equal folders of several commits share one object. */
interface Folder {
  readonly path: string;
  readonly at: Oid;
  /** null: stored in a row, and read on first use */
  entries: Map<string, Entry> | null;
  readonly isStored: boolean;
}

interface Entry {
  readonly last: LastCommit;
  readonly inside: Folder | null;
}

/** A folder in one parent. */
interface Side {
  readonly tree: Oid;
  readonly folder: Folder;
}

interface RootAt {
  readonly tree: Oid;
  readonly root: Folder;
  /** number of children that are still to be computed from it */
  childrenLeft: number;
}

/** A parent is not indexed, so the pass must start at an earlier commit. */
export class UnknownParentError extends Error {}

/** The tree has too many entries. A few small objects can describe a tree with millions of files. */
export class TooManyEntriesError extends Error {}

export type FoundFolder = { readonly folder: string; readonly at: Oid; readonly entries: FolderHistory };

/**
 * Visits new commits, parents first, and finds the last commit of each entry in every folder of their tips. A commit
 * shares unchanged folders with its parent, so the cost depends on the changes.
 */
export class IndexingPass {
  readonly #objects: ObjectReader;
  readonly #load: (folder: string, at: Oid) => Promise<FolderHistory | undefined>;
  readonly #roots = new Map<Oid, RootAt>();
  readonly #wanted: ReadonlySet<Oid>;
  #entriesOfCommit = 0;
  #entriesSinceRest = 0;

  constructor(source: {
    objects: ObjectReader;
    /** reads a folder from its row */
    load: (folder: string, at: Oid) => Promise<FolderHistory | undefined>;
    tips: readonly Oid[];
  }) {
    this.#objects = source.objects;
    this.#load = source.load;
    this.#wanted = new Set(source.tips);
  }

  /** @throws UnknownParentError if a parent is neither among `commits` nor in a row; TooManyEntriesError */
  async run(commits: readonly ListedCommit[]): Promise<void> {
    const children = countChildren(commits);
    for (const { oid, parents } of commits) {
      this.#entriesOfCommit = 0;
      const parentRoots: RootAt[] = [];
      for (const parent of parents) parentRoots.push(await this.#rootOf(parent));
      const commit = await this.#objects.readCommit(oid);
      const here = { oid, seconds: commit.committer.seconds };
      const sides = parentRoots.map(({ tree, root }) => ({ tree, folder: root }));
      const root = await this.#rooted(here, commit.tree, sides);
      this.#roots.set(oid, { tree: commit.tree, root, childrenLeft: children.get(oid) ?? 0 });
      for (const parent of parents) this.#release(parent);
    }
  }

  /** Ensures a row for the root with the commit's own id, which marks the commit as indexed. */
  async #rooted(here: LastCommit, tree: Oid, sides: readonly Side[]): Promise<Folder> {
    const root = await this.#folder(here, '', tree, sides);
    if (root.at === here.oid || !this.#wanted.has(here.oid)) return root;
    return { path: '', at: here.oid, entries: await this.#entriesOf(root), isStored: false };
  }

  /** Returns the folders of all tips that have no row yet. */
  async found(): Promise<readonly FoundFolder[]> {
    const found: FoundFolder[] = [];
    const seen = new Set<Folder>();
    const waiting = [...this.#wanted].flatMap((tip) => this.#roots.get(tip)?.root ?? []);
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      if (folder.isStored || seen.has(folder) || folder.entries === null) continue;
      seen.add(folder);
      found.push({ folder: folder.path, at: folder.at, entries: historyOf(folder.entries) });
      for (const { inside } of folder.entries.values()) if (inside !== null) waiting.push(inside);
    }
    return found;
  }

  async #rootOf(commit: Oid): Promise<RootAt> {
    const known = this.#roots.get(commit);
    if (known !== undefined) return known;
    const folder: Folder = { path: '', at: commit, entries: null, isStored: true };
    await this.#entriesOf(folder);
    const { tree } = await this.#objects.readCommit(commit);
    const root = { tree, root: folder, childrenLeft: Number.POSITIVE_INFINITY };
    this.#roots.set(commit, root);
    return root;
  }

  #release(commit: Oid): void {
    const root = this.#roots.get(commit);
    if (root === undefined) return;
    root.childrenLeft -= 1;
    if (root.childrenLeft <= 0 && !this.#wanted.has(commit)) this.#roots.delete(commit);
  }

  /** @param before the folder in the parents that have it, in the order of the parents */
  async #folder(here: LastCommit, path: string, tree: Oid, before: readonly Side[]): Promise<Folder> {
    const [first] = before;
    if (first?.tree === tree) return first.folder;
    const sides: { entries: ReadonlyMap<string, TreeEntry>; known: Map<string, Entry> }[] = [];
    for (const side of before) {
      sides.push({ entries: await this.#treeOf(side.tree), known: await this.#entriesOf(side.folder) });
    }
    const entries = new Map<string, Entry>();
    const present = await this.#treeOf(tree);
    await this.#rest(present.size);
    for (const [key, entry] of present) {
      const same = sides.find((side) => isSameEntry(entry, side.entries.get(key)));
      const inside = sides.flatMap((side) => sideOf(side.entries.get(key), side.known.get(key)));
      entries.set(key, {
        last: same?.known.get(key)?.last ?? here,
        inside:
          entry.mode === '040000'
            ? await this.#folder(here, childFolder(path, key), entry.oid, inside)
            : null,
      });
    }
    return { path, at: here.oid, entries, isStored: false };
  }

  /** @throws TooManyEntriesError */
  async #rest(entries: number): Promise<void> {
    this.#entriesOfCommit += entries;
    this.#entriesSinceRest += entries;
    if (this.#entriesOfCommit > LIMITS.lastCommitEntriesIndexedMax) throw new TooManyEntriesError();
    if (this.#entriesSinceRest < LIMITS.lastCommitEntriesInOneGo) return;
    this.#entriesSinceRest = 0;
    // Reading from memory never yields to other requests by itself.
    await setImmediate();
  }

  async #treeOf(tree: Oid): Promise<ReadonlyMap<string, TreeEntry>> {
    return new Map((await this.#objects.readTree(tree)).map((entry) => [entryKey(entry), entry]));
  }

  async #entriesOf(folder: Folder): Promise<Map<string, Entry>> {
    if (folder.entries !== null) return folder.entries;
    const history = await this.#load(folder.path, folder.at);
    if (history === undefined) throw new UnknownParentError();
    const entries = new Map<string, Entry>();
    for (const [key, { last, insideAt }] of history) {
      const path = childFolder(folder.path, key);
      const inside = insideAt === null ? null : { path, at: insideAt, entries: null, isStored: true };
      entries.set(key, { last, inside });
    }
    folder.entries = entries;
    return entries;
  }
}

function sideOf(entry: TreeEntry | undefined, known: Entry | undefined): Side[] {
  if (entry?.mode !== '040000' || known === undefined || known.inside === null) return [];
  return [{ tree: entry.oid, folder: known.inside }];
}

function countChildren(commits: readonly ListedCommit[]): Map<Oid, number> {
  const counts = new Map<Oid, number>();
  for (const { parents } of commits) {
    for (const parent of parents) counts.set(parent, (counts.get(parent) ?? 0) + 1);
  }
  return counts;
}

function historyOf(entries: ReadonlyMap<string, Entry>): FolderHistory {
  const history = new Map<string, EntryHistory>();
  for (const [key, { last, inside }] of entries) history.set(key, { last, insideAt: inside?.at ?? null });
  return history;
}
