import { isWithin } from '../format/commit-times.ts';
import type { Commit, Oid, TreeEntry } from '../format/model.ts';
import type { CommitRange } from '../interface/history.ts';
import type { ObjectReader } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import { findEntry } from '../trees/find-entry.ts';

/** The newest commits of a range, which the index lacks, and where it goes on. */
export interface Newest {
  readonly listed: readonly Oid[];
  /** undefined: they are all */
  readonly next: Oid | undefined;
}

/**
 * Lists the newest commits of a range down to one that the index has. Right after a push there are few, one after the
 * other.
 *
 * @returns undefined if there are more, or merges
 */
export async function listNewest(
  { head, path, times }: CommitRange,
  isIndexed: (oid: Oid) => boolean,
): Promise<Newest | undefined> {
  const { objects } = head.snapshot;
  const listed: Oid[] = [];
  let oid: Oid | undefined = head.oid;
  for (let steps = 0; oid !== undefined && !isIndexed(oid); steps += 1) {
    const commit: Commit = await objects.readCommit(oid);
    if (commit.parents.length > 1 || steps === GIT_LIMITS.commitsListedUnindexedMax) return undefined;
    const isListed =
      isWithin(times, commit.committer.seconds) &&
      (path === null || (await hasChanged(objects, commit, path)));
    if (isListed) listed.push(oid);
    oid = commit.parents[0];
  }
  return { listed, next: oid };
}

async function hasChanged(objects: ObjectReader, { tree, parents }: Commit, path: string): Promise<boolean> {
  const [parent] = parents;
  const after = await findEntry(objects, tree, path);
  const before =
    parent === undefined
      ? undefined
      : await findEntry(objects, (await objects.readCommit(parent)).tree, path);
  return !isSame(before, after);
}

function isSame(one: TreeEntry | undefined, other: TreeEntry | undefined): boolean {
  return one?.oid === other?.oid && one?.mode === other?.mode;
}
