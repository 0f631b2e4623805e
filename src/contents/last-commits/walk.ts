import type { Commit, ObjectReader, Oid, TreeEntry } from '../../git/model.ts';
import { findEntry } from '../../git/objects/tree-edit.ts';
import { entryKey, isSameEntry, type LastCommit } from './model.ts';

/** Looks up the stored history of a folder at a commit; undefined without one. */
export type Known = (commit: Oid) => Promise<ReadonlyMap<string, LastCommit> | undefined>;

/**
 * Walks down the history of a folder from a commit that is not indexed, until an indexed commit or until it has found
 * the last commits. Every name is pending at exactly one commit at a time.
 */
export class HistoryWalk {
  readonly #objects: ObjectReader;
  readonly #folder: string;
  readonly #known: Known;
  readonly #found = new Map<string, LastCommit>();
  readonly #pending = new Map<Oid, { commit: Commit; names: Set<string> }>();

  constructor(source: { objects: ObjectReader; folder: string; known: Known }) {
    this.#objects = source.objects;
    this.#folder = source.folder;
    this.#known = source.known;
  }

  /** @returns the last commit of each of `names` that the folder has at `start` */
  async run(start: Oid, names: readonly string[]): Promise<ReadonlyMap<string, LastCommit>> {
    const commit = await this.#objects.readCommit(start);
    const entries = await this.#entriesAt(commit);
    const present = names.filter((name) => entries.has(name));
    if (present.length > 0) this.#pending.set(start, { commit, names: new Set(present) });
    for (let next = this.#newest(); next !== undefined; next = this.#newest()) {
      this.#pending.delete(next.commit.oid);
      await this.#visit(next.commit, next.names);
    }
    return this.#found;
  }

  /** Takes the newest commit, so that names that reach one commit on several paths are handled there together. */
  #newest(): { commit: Commit; names: Set<string> } | undefined {
    let newest: { commit: Commit; names: Set<string> } | undefined;
    for (const candidate of this.#pending.values()) {
      if (newest === undefined || candidate.commit.committer.seconds > newest.commit.committer.seconds) {
        newest = candidate;
      }
    }
    return newest;
  }

  async #visit(commit: Commit, names: Set<string>): Promise<void> {
    const known = await this.#known(commit.oid);
    if (known !== undefined && [...names].every((name) => known.has(name))) {
      for (const name of names) this.#found.set(name, known.get(name) ?? lastCommitOf(commit));
      return;
    }
    const tree = await this.#folderTree(commit);
    const entries = await this.#entriesAt(commit);
    for (const parentOid of commit.parents) {
      if (names.size === 0) return;
      const parent = await this.#objects.readCommit(parentOid);
      const isUnchanged = (await this.#folderTree(parent)) === tree;
      const before = isUnchanged ? entries : await this.#entriesAt(parent);
      const same = [...names].filter((name) => isSameEntry(entries.get(name), before.get(name)));
      this.#passOn(parent, same);
      for (const name of same) names.delete(name);
    }
    for (const name of names) this.#found.set(name, lastCommitOf(commit));
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
    return new Map((await this.#objects.readTree(tree)).map((entry) => [entryKey(entry), entry]));
  }
}

function lastCommitOf(commit: Commit): LastCommit {
  return { oid: commit.oid, seconds: commit.committer.seconds };
}
