import { setImmediate } from 'node:timers/promises';
import { ForgeError } from '../../../base/core/failure.ts';
import type { Commit, Oid } from '../../../git/format/model.ts';
import type { StoredTree } from '../../../git/format/stored-tree.ts';
import type { IndexedLastCommits, LastCommit } from '../../../git/interface/history.ts';
import type { ObjectReader } from '../../../git/interface/snapshot.ts';
import { changedEntries } from '../../../git/trees/changed-entries.ts';
import { findEntry } from '../../../git/trees/find-entry.ts';
import { CONTENTS_LIMITS } from '../limits.ts';

/** Looks up entries of the folder in the change index; undefined if it lacks the commit. */
export type Known = (commit: Oid, names: readonly string[]) => Promise<IndexedLastCommits | undefined>;

interface Waiting {
  readonly commit: Commit;
  readonly names: Set<string>;
  /** whether the index leaves this commit to the walk */
  isOpaque: boolean;
}

interface Dependencies {
  readonly objects: ObjectReader;
  readonly folder: string;
  readonly known: Known;
  readonly stepsMax: number;
  readonly signal: AbortSignal;
}

/**
 * Walks down the history of a folder from a commit that is not indexed, until an indexed commit or until it has found
 * the last commits. Every name is waiting at exactly one commit at a time.
 */
export class HistoryWalk {
  readonly #use: Dependencies;
  readonly #found = new Map<string, LastCommit>();
  readonly #waiting = new Map<Oid, Waiting>();
  readonly #giveUpAt = performance.now() + CONTENTS_LIMITS.lastCommitWalkMs;
  #steps = 0;

  constructor(source: Dependencies) {
    this.#use = source;
  }

  /**
   * @param names entries that the folder has at `start`
   * @returns the last commit of each of them
   * @throws WalkTooLongError; the reason of the signal
   */
  async run(start: Oid, names: readonly string[]): Promise<ReadonlyMap<string, LastCommit>> {
    await this.#goOn(start, names, { isOpaque: false });
    for (let next = this.#newest(); next !== undefined; next = this.#newest()) {
      this.#waiting.delete(next.commit.oid);
      await this.#count();
      if (next.isOpaque || !(await this.#lookUp(next))) await this.#visit(next);
    }
    return this.#found;
  }

  /** Takes the newest commit, so that names that reach one commit on several paths are handled there together. */
  #newest(): Waiting | undefined {
    let newest: Waiting | undefined;
    for (const candidate of this.#waiting.values()) {
      if (newest === undefined || candidate.commit.committer.seconds > newest.commit.committer.seconds) {
        newest = candidate;
      }
    }
    return newest;
  }

  async #count(): Promise<void> {
    this.#use.signal.throwIfAborted();
    this.#steps += 1;
    if (this.#steps > this.#use.stepsMax || performance.now() > this.#giveUpAt) throw new WalkTooLongError();
    // Reading from memory never yields to other requests by itself.
    if (this.#steps % CONTENTS_LIMITS.lastCommitStepsInOneGo === 0) await setImmediate();
  }

  /** @returns whether the index has the commit */
  async #lookUp({ commit, names }: Waiting): Promise<boolean> {
    const known = await this.#use.known(commit.oid, [...names]);
    if (known === undefined) return false;
    for (const [name, last] of known.found) this.#found.set(name, last);
    for (const [oid, some] of known.goesOn) await this.#goOn(oid, some, { isOpaque: true });
    return true;
  }

  async #visit({ commit, names }: Waiting): Promise<void> {
    const tree = await this.#folderTree(commit);
    for (const parentOid of commit.parents) {
      if (names.size === 0) return;
      const parent = await this.#use.objects.readCommit(parentOid);
      const treeBefore = await this.#folderTree(parent);
      const changed = treeBefore === tree ? new Set() : await this.#changedBetween(treeBefore, tree);
      const same = [...names].filter((name) => !changed.has(name));
      await this.#goOn(parentOid, same, { isOpaque: false });
      for (const name of same) names.delete(name);
    }
    const last = { oid: commit.oid, seconds: commit.committer.seconds };
    for (const name of names) this.#found.set(name, last);
  }

  async #goOn(oid: Oid, names: readonly string[], { isOpaque }: { isOpaque: boolean }): Promise<void> {
    if (names.length === 0) return;
    const waiting = this.#waiting.get(oid);
    if (waiting === undefined) {
      const commit = await this.#use.objects.readCommit(oid);
      this.#waiting.set(oid, { commit, names: new Set(names), isOpaque });
    } else {
      for (const name of names) waiting.names.add(name);
      waiting.isOpaque ||= isOpaque;
    }
  }

  async #folderTree(commit: Commit): Promise<Oid | undefined> {
    if (this.#use.folder === '') return commit.tree;
    const entry = await findEntry(this.#use.objects, commit.tree, this.#use.folder);
    return entry?.mode === '040000' ? entry.oid : undefined;
  }

  /** Returns the keys of the entries that differ. */
  async #changedBetween(before: Oid | undefined, after: Oid | undefined): Promise<ReadonlySet<string>> {
    const [old, fresh] = await Promise.all([before, after].map((tree) => this.#open(tree)));
    const changes = changedEntries(old ?? null, fresh ?? null);
    return new Set(changes.map(({ either }) => either.name));
  }

  async #open(tree: Oid | undefined): Promise<StoredTree | null> {
    return tree === undefined ? null : this.#use.objects.openTree(tree);
  }
}

/** The walk reached its limits: too much of the history is not indexed. */
export class WalkTooLongError extends ForgeError {
  constructor() {
    const what = 'this history is not indexed yet: try again in a few seconds';
    super({ kind: 'busy', what, retryAfterSeconds: 10 });
  }
}
