import { BoundedCache } from '../core/bounded-cache.ts';
import type { Commit, ObjectReader, Oid, RepositoryId, TreeEntry } from '../git/model.ts';
import { findEntry } from '../git/tree-edit.ts';

/** Remembered entries, over all folders. */
const ENTRIES_REMEMBERED = 200_000;

export interface LastCommit {
  readonly oid: Oid;
  /** committer's date, ms */
  readonly at: number;
}

/**
 * Finds for each entry of a folder the commit that last changed it.
 *
 * The rule: the last commit of an entry at a commit is that of the first among all its parents which has the very
 * same entry at that path; where none has, it is the commit itself. (It agrees with `git log -1 -- path`.)
 */
export class LastCommits {
  readonly #remembered = new BoundedCache<string, Map<string, LastCommit>>({ weightMax: ENTRIES_REMEMBERED });

  /**
   * @param folder path of the folder, '' for the root
   * @param names the entries wanted; those that the folder does not have are missing in the answer
   */
  async find(
    repository: { id: RepositoryId; objects: ObjectReader },
    commit: Oid,
    folder: string,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, LastCommit>> {
    const key = `${repository.id}:${commit}:${folder}`;
    const known = this.#remembered.get(key) ?? new Map<string, LastCommit>();
    const missing = names.filter((name) => !known.has(name));
    if (missing.length > 0) {
      await new HistoryWalk(repository.objects, folder, known).run(commit, missing);
      this.#remembered.set(key, known, known.size);
    }
    return known;
  }
}

/** One walk down the history of a folder. Every name it looks for is pending at exactly one commit at a time. */
class HistoryWalk {
  readonly #objects: ObjectReader;
  readonly #folder: string;
  readonly #found: Map<string, LastCommit>;
  readonly #pending = new Map<Oid, { commit: Commit; names: Set<string> }>();

  constructor(objects: ObjectReader, folder: string, found: Map<string, LastCommit>) {
    this.#objects = objects;
    this.#folder = folder;
    this.#found = found;
  }

  async run(start: Oid, names: readonly string[]): Promise<void> {
    const commit = await this.#objects.readCommit(start);
    const entries = await this.#entriesAt(commit);
    const present = names.filter((name) => entries.has(name));
    if (present.length > 0) this.#pending.set(start, { commit, names: new Set(present) });
    for (let next = this.#newest(); next !== undefined; next = this.#newest()) {
      this.#pending.delete(next.commit.oid);
      await this.#visit(next.commit, next.names);
    }
  }

  /** The newest first, so that names which come to one commit by several ways are taken there together. */
  #newest(): { commit: Commit; names: Set<string> } | undefined {
    let newest: { commit: Commit; names: Set<string> } | undefined;
    for (const candidate of this.#pending.values()) {
      if (newest === undefined || candidate.commit.committer.seconds > newest.commit.committer.seconds)
        newest = candidate;
    }
    return newest;
  }

  async #visit(commit: Commit, names: Set<string>): Promise<void> {
    const tree = await this.#folderTree(commit);
    const entries = await this.#entriesAt(commit);
    for (const parentOid of commit.parents) {
      if (names.size === 0) return;
      const parent = await this.#objects.readCommit(parentOid);
      const unchanged = (await this.#folderTree(parent)) === tree;
      const before = unchanged ? entries : await this.#entriesAt(parent);
      const same = [...names].filter((name) => isSameEntry(entries.get(name), before.get(name)));
      this.#passOn(parent, same);
      for (const name of same) names.delete(name);
    }
    const here = { oid: commit.oid, at: commit.committer.seconds * 1000 };
    for (const name of names) this.#found.set(name, here);
  }

  #passOn(commit: Commit, names: readonly string[]): void {
    if (names.length === 0) return;
    const waiting = this.#pending.get(commit.oid);
    if (waiting === undefined) this.#pending.set(commit.oid, { commit, names: new Set(names) });
    else for (const name of names) waiting.names.add(name);
  }

  async #folderTree(commit: Commit): Promise<Oid | undefined> {
    if (this.#folder === '') return commit.tree;
    const entry = await findEntry(this.#objects, commit.tree, this.#folder);
    return entry?.mode === '040000' ? entry.oid : undefined;
  }

  async #entriesAt(commit: Commit): Promise<ReadonlyMap<string, TreeEntry>> {
    const tree = await this.#folderTree(commit);
    if (tree === undefined) return new Map();
    return new Map((await this.#objects.readTree(tree)).map((entry) => [entry.name, entry]));
  }
}

function isSameEntry(one: TreeEntry | undefined, other: TreeEntry | undefined): boolean {
  return one !== undefined && other !== undefined && one.oid === other.oid && one.mode === other.mode;
}
