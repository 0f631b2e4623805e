import type { GitObject, ObjectFormat, Oid } from '../format/model.ts';
import { listMergeBases } from '../history/branch-history.ts';
import { findMergeBases } from '../history/two-sides.ts';
import type { ObjectReader } from '../interface/snapshot.ts';
import type { CommitMerge, MergeOutcome, Merges, TreeMerge } from '../interface/writes.ts';
import { mergeTrees } from './merge-trees.ts';
import { type MergePlace, mergeTreesWithGit, mergeWithGit } from './merge-with-git.ts';

/** What merges need of a session. */
interface MergingSession {
  readonly objects: ObjectReader;
  readonly objectFormat: ObjectFormat;
  writeObjects(objects: readonly GitObject[]): Promise<void>;
  /** Makes a place where git finds the objects of the session, and writes more of them. */
  openForGit(): Promise<MergePlace>;
}

/** Merges in this process if it can, and lets git do the rest. */
export class LocalMerges implements Merges {
  readonly #session: MergingSession;

  constructor(session: MergingSession) {
    this.#session = session;
  }

  async findBases({ ours, theirs }: CommitMerge): Promise<readonly Oid[]> {
    const { objects, openForGit } = this.#session;
    const found = await findMergeBases(objects, [ours, theirs]);
    // Some of several may reach others, and git knows that from the commit graph.
    if (found !== undefined && found.length <= 1) return found;
    return listMergeBases(await openForGit(), [ours, theirs]);
  }

  async mergeCommits(merge: CommitMerge): Promise<MergeOutcome | undefined> {
    const bases = await this.findBases(merge);
    const [base] = bases;
    if (base === undefined) return undefined;
    const trees = {
      base: await this.#treeOf(base),
      ours: await this.#treeOf(merge.ours),
      theirs: await this.#treeOf(merge.theirs),
    };
    // Several bases have to be merged first.
    const merged = bases.length > 1 ? undefined : await this.#mergeHere(trees);
    return merged ?? mergeWithGit(await this.#session.openForGit(), merge);
  }

  async mergeTrees(merge: TreeMerge): Promise<MergeOutcome> {
    const { objectFormat, openForGit } = this.#session;
    return (await this.#mergeHere(merge)) ?? mergeTreesWithGit(await openForGit(), objectFormat, merge);
  }

  async #treeOf(commit: Oid): Promise<Oid> {
    return (await this.#session.objects.readCommit(commit)).tree;
  }

  /** @returns undefined if git has to merge */
  async #mergeHere(merge: TreeMerge): Promise<MergeOutcome | undefined> {
    const merged = await mergeTrees(this.#session, merge);
    if (merged === undefined) return undefined;
    await this.#session.writeObjects(merged.objects);
    return { kind: 'clean', tree: merged.root };
  }
}
