import type { GitObject, ObjectFormat, Oid, TreeEntry } from '../format/model.ts';
import { isReadByGit } from '../format/tree-paths.ts';
import type { LatestCommits } from '../history/latest-commits.ts';
import type { ObjectReader } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import type { RefTable } from '../refs/ref-table.ts';
import { type CheckedObject, type Link, linkOf } from './check-object.ts';

/** A repository at one moment. */
export interface KnownHistory {
  readonly format: ObjectFormat;
  readonly objects: ObjectReader;
  /** what they point to is whole */
  readonly refs: RefTable;
  readonly latest: LatestCommits;
}

/** New objects, by their ids. */
export type NewObjects = ReadonlyMap<Oid, GitObject & CheckedObject>;

/**
 * Whether new objects name only each other and what the refs of the repository reach, each with the type that it needs.
 * This is what `git index-pack --strict` and a walk of `git rev-list` prove together. Other objects may exist without
 * their parts, or a prune may be deleting them.
 *
 * What the refs reach is found by comparing new trees with those of the parents of new commits.
 *
 * @returns false if it cannot be shown with little work
 * @throws ForgeError `not_found`, `busy`; MalformedObjectError
 */
export async function nameOnlyKnown(history: KnownHistory, added: NewObjects): Promise<boolean> {
  const outside: Link[] = [];
  for (const { links } of added.values()) {
    for (const link of links) {
      const type = added.get(link.oid)?.type;
      if (type === undefined) outside.push(link);
      else if (type !== link.type) return false;
    }
  }
  const entries = [...added.values()].flatMap((object) => object.entries);
  // git has to check what it reads itself. It has checked all that is known.
  const readByGit = entries.filter(({ name }) => isReadByGit(name));
  if (outside.length === 0 && readByGit.length === 0) return true;
  return new KnownLinks(history, added).include(outside, readByGit);
}

type Entries = ReadonlyMap<string, TreeEntry>;

/** Collects what known commits reach, as far as new commits lead there. */
class KnownLinks {
  readonly #history: KnownHistory;
  readonly #added: NewObjects;
  readonly #links = new Set<string>();
  readonly #entries = new Set<string>();
  readonly #treesRead = new Map<Oid, Entries>();
  /** trees that new ones have replaced: what has moved was in one of these */
  readonly #replaced = new Set<Oid>();
  #entriesLeft = GIT_LIMITS.smallPackEntriesReadMax;

  constructor(history: KnownHistory, added: NewObjects) {
    this.#history = history;
    this.#added = added;
  }

  async include(links: readonly Link[], readByGit: readonly TreeEntry[]): Promise<boolean> {
    for (const { oid, type } of links) {
      if (type === 'commit' && !(await this.#isCommit(oid))) return false;
      if (type === 'tag' && !(await this.#isTip(oid, 'tag'))) return false;
    }
    for (const oid of this.#commitsInOrder()) if (!(await this.#compareCommit(oid))) return false;
    const inTrees = links.filter(({ type }) => type === 'tree' || type === 'blob');
    const hasAll = () =>
      inTrees.every((link) => this.#links.has(keyOf(link))) &&
      readByGit.every((entry) => this.#entries.has(keyOfEntry(entry)));
    while (!hasAll()) if (!(await this.#readReplaced())) return false;
    return true;
  }

  async #isTip(oid: Oid, type: Link['type']): Promise<boolean> {
    const { refs, objects } = this.#history;
    return refs.hasTarget(oid) && (await objects.info(oid))?.type === type;
  }

  async #isCommit(oid: Oid): Promise<boolean> {
    return (await this.#isTip(oid, 'commit')) || this.#history.latest.has(oid);
  }

  /** Lists new commits, each after its parents. */
  #commitsInOrder(): ReadonlySet<Oid> {
    const ordered = new Set<Oid>();
    const visit = (oid: Oid) => {
      const commit = this.#added.get(oid);
      if (commit?.type !== 'commit' || ordered.has(oid)) return;
      for (const link of commit.links) if (link.type === 'commit') visit(link.oid);
      ordered.add(oid);
    };
    for (const oid of this.#added.keys()) visit(oid);
    return ordered;
  }

  async #compareCommit(oid: Oid): Promise<boolean> {
    const parents = (this.#added.get(oid)?.links ?? []).filter(({ type }) => type === 'commit');
    const trees: Oid[] = [];
    for (const parent of parents) {
      const tree = await this.#treeOf(parent.oid);
      if (tree !== undefined) trees.push(tree);
    }
    const tree = treeLinkOf(this.#added.get(oid));
    return tree === undefined || this.#compare(tree, trees);
  }

  async #treeOf(commit: Oid): Promise<Oid | undefined> {
    const added = this.#added.get(commit);
    if (added !== undefined) return treeLinkOf(added);
    const { tree } = await this.#history.objects.readCommit(commit);
    this.#links.add(keyOf({ oid: tree, type: 'tree' }));
    return tree;
  }

  /**
   * Notes the entries of known trees that stand where a new one stands in another commit.
   *
   * @returns false if there are too many
   */
  async #compare(tree: Oid, others: readonly Oid[]): Promise<boolean> {
    const added = this.#added.get(tree);
    if (added === undefined || others.includes(tree)) return true;
    const entries = this.#counted(entriesIn(added.entries));
    const there: Entries[] = [];
    for (const other of others) {
      const found = await this.#entriesOf(other);
      if (this.#entriesLeft < 0) return false;
      if (found !== undefined) there.push(found);
    }
    for (const { name, mode, oid } of there.flatMap((found) => [...found.values()]))
      if (mode === '040000' && entries.get(name)?.oid !== oid) this.#replaced.add(oid);
    for (const { name, mode, oid } of entries.values()) {
      if (mode !== '040000' || !this.#added.has(oid)) continue;
      const below = there.flatMap((found) => treeIn(found.get(name)));
      if (!(await this.#compare(oid, below))) return false;
    }
    return this.#entriesLeft >= 0;
  }

  /** Returns the entries of a new tree, or of one that is known to be whole. */
  async #entriesOf(tree: Oid): Promise<Entries | undefined> {
    const added = this.#added.get(tree);
    if (added !== undefined) return this.#counted(entriesIn(added.entries));
    return this.#links.has(keyOf({ oid: tree, type: 'tree' })) ? this.#readKnown(tree) : undefined;
  }

  #counted(entries: Entries): Entries {
    this.#entriesLeft -= 1 + entries.size;
    return entries;
  }

  async #readKnown(tree: Oid): Promise<Entries | undefined> {
    const before = this.#treesRead.get(tree);
    if (before !== undefined) return this.#counted(before);
    if (this.#treesRead.size === GIT_LIMITS.smallPackTreesReadMax) return undefined;
    const { objects } = this.#history;
    // A larger one would hold up all other requests while it is parsed.
    if (((await objects.info(tree))?.sizeBytes ?? 0) > GIT_LIMITS.objectInMemoryBytesMax) return undefined;
    const entries = this.#counted(entriesIn(await objects.readTree(tree)));
    this.#treesRead.set(tree, entries);
    for (const entry of entries.values()) {
      for (const link of linkOf(entry)) this.#links.add(keyOf(link));
      this.#entries.add(keyOfEntry(entry));
    }
    return entries;
  }

  /** Reads one more tree. @returns false if there is none */
  async #readReplaced(): Promise<boolean> {
    for (const tree of this.#replaced) {
      this.#replaced.delete(tree);
      if (this.#treesRead.has(tree)) continue;
      const entries = await this.#entriesOf(tree);
      if (entries === undefined || this.#entriesLeft < 0) continue;
      for (const entry of entries.values()) for (const below of treeIn(entry)) this.#replaced.add(below);
      return true;
    }
    return false;
  }
}

function treeLinkOf(commit: CheckedObject | undefined): Oid | undefined {
  return commit?.links.find(({ type }) => type === 'tree')?.oid;
}

function treeIn(entry: TreeEntry | undefined): readonly Oid[] {
  return entry?.mode === '040000' ? [entry.oid] : [];
}

function entriesIn(entries: readonly TreeEntry[]): Entries {
  return new Map(entries.map((entry) => [entry.name, entry]));
}

function keyOf({ type, oid }: Link): string {
  return `${type} ${oid}`;
}

function keyOfEntry({ mode, oid, name }: TreeEntry): string {
  return `${mode} ${oid} ${name}`;
}
