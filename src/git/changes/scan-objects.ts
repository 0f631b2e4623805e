import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Commit, Oid } from '../format/model.ts';
import { bytesOfName } from '../format/name-bytes.ts';
import type { StoredTree } from '../format/stored-tree.ts';
import type { ObjectReader } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import { changedEntries } from '../trees/changed-entries.ts';
import { type Line, type Listing, type NewCommits, toCommits } from './new-commits.ts';
import { addChanges, nothingScanned, type Scanned } from './scan.ts';
import { NONE } from './segments/format.ts';

/** New commits, and their changes. */
export interface ScannedCommits {
  readonly commits: NewCommits;
  readonly scanned: Scanned;
}

/**
 * Does the work of `listNewCommits` and `scanChanges` for an ordinary push, without starting git. Starting a process
 * would delay all requests for longer than reading a few objects.
 *
 * @param path folder of the repository, whose file `shallow` changes the parents that git sees
 * @returns undefined if the commits are too many, change too much, or cannot all be read; git then does the work
 */
export async function scanObjects(
  objects: ObjectReader,
  path: string,
  listing: Listing,
): Promise<ScannedCommits | undefined> {
  if (existsSync(join(path, 'shallow'))) return undefined;
  try {
    return await new ObjectScan(objects, listing).run();
  } catch {
    // git then does the work, and its message about a damaged or missing object is logged.
    listing.signal.throwIfAborted();
    return undefined;
  }
}

/** There is more work than `ObjectScan` may do. */
class TooMuchError extends Error {}

class ObjectScan {
  readonly #objects: ObjectReader;
  readonly #listing: Listing;
  /** new commits, parents first */
  readonly #commits = new Map<Oid, Commit>();
  #entriesLeft = GIT_LIMITS.entriesComparedWithoutGit;

  constructor(objects: ObjectReader, listing: Listing) {
    this.#objects = objects;
    this.#listing = listing;
  }

  async run(): Promise<ScannedCommits> {
    for (const tip of this.#listing.tips) await this.#list(tip);
    const lines: Line[] = [...this.#commits.values()].map(({ oid, committer, parents }) => ({
      oid,
      seconds: committer.seconds,
      parents,
    }));
    const commits = { ...toCommits(lines, this.#listing), isComplete: true, ahead: [] };
    const scanned = nothingScanned();
    for (const commit of this.#commits.values()) {
      const changes = await this.#changesOf(commit);
      scanned.work += changes.size;
      addChanges(scanned, commits, changes);
    }
    return { commits, scanned };
  }

  /** Adds the new commits that `tip` reaches. */
  async #list(tip: Oid): Promise<void> {
    const path: { commit: Commit; next: number }[] = [];
    const enter = async (oid: Oid) => {
      const isKnown = this.#listing.numberOf(Buffer.from(oid, 'hex')) !== undefined;
      if (isKnown || this.#commits.has(oid)) return;
      this.#listing.signal.throwIfAborted();
      if (this.#commits.size + path.length >= GIT_LIMITS.commitsComparedWithoutGit) throw new TooMuchError();
      const commit = await this.#objects.readCommit(oid);
      if (commit.parents.length > GIT_LIMITS.parentsComparedMax) throw new TooMuchError();
      path.push({ commit, next: 0 });
    };
    await enter(tip);
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const parent = last.commit.parents[last.next];
      last.next += 1;
      if (parent !== undefined) await enter(parent);
      else {
        this.#commits.set(last.commit.oid, last.commit);
        path.pop();
      }
    }
  }

  async #changesOf(commit: Commit): Promise<ReadonlyMap<string, number>> {
    const parents = await Promise.all(commit.parents.map((oid) => this.#objects.readCommit(oid)));
    const changes = new Map<string, number>();
    const trees = parents.map(({ tree }) => tree);
    await this.#compare('', commit.tree, { trees, changes });
    return changes;
  }

  /**
   * Adds the entries of a tree that differ in the first parent, including entries that only the parent has. The key is
   * the path in latin1. The value is the first parent that has the same entry, or also lacks it; NONE if there is no
   * such parent.
   *
   * @param tree undefined if the commit has no tree at this path
   * @param to.trees the tree at the same path in each parent; undefined if the parent has none
   */
  async #compare(
    folder: string,
    tree: Oid | undefined,
    to: { trees: readonly (Oid | undefined)[]; changes: Map<string, number> },
  ): Promise<void> {
    if (to.trees[0] === tree) return;
    const entries = await this.#open(tree);
    const parents = await Promise.all(to.trees.map((oid) => this.#open(oid)));
    for (const { before: first, after: entry, either } of changedEntries(parents[0] ?? null, entries)) {
      const bytes = bytesOfName(either.name);
      const name = bytes.toString('latin1');
      const others = parents.slice(1).map((parent) => parent?.find(bytes));
      const same = others.findIndex((other) => other?.oid === entry?.oid && other?.mode === entry?.mode);
      to.changes.set(folder + name, same === -1 ? NONE : same + 1);
      const [after, ...trees] = [entry, first, ...others].map((each) =>
        each?.mode === '040000' ? each.oid : undefined,
      );
      if (after !== undefined || trees[0] !== undefined)
        await this.#compare(`${folder}${name}/`, after, { ...to, trees });
    }
  }

  async #open(tree: Oid | undefined): Promise<StoredTree | null> {
    if (tree === undefined) return null;
    const stored = await this.#objects.openTree(tree);
    this.#entriesLeft -= stored.size + 1;
    if (this.#entriesLeft < 0) throw new TooMuchError();
    return stored;
  }
}
