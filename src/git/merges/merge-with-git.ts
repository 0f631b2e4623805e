import { join } from 'node:path';
import { invalid } from '../../base/core/failure.ts';
import { currentCaller } from '../../base/core/fairness/caller.ts';
import { type GitDir, randomName } from '../folders/repository-layout.ts';
import { encodeCommit } from '../format/commit-format.ts';
import type { GitObject, ObjectFormat, Oid, Signature } from '../format/model.ts';
import { pathOfBytes } from '../format/name-bytes.ts';
import { newObject } from '../format/new-object.ts';
import type { CommitMerge, MergeOutcome, TreeMerge } from '../interface/writes.ts';
import { GIT_LIMITS } from '../limits.ts';
import { writeLooseObject } from '../objects/loose-objects.ts';
import { runGit } from '../processes/child.ts';
import { GitFailedError, wasTooMuch } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';

/** `git merge-tree` has found files that both sides have changed in ways that exclude each other. */
const HAS_CONFLICTS = 1;

export interface MergePlace {
  readonly gitDir: GitDir;
  /** a quarantine, for new blobs and trees */
  readonly objectsFolder: string;
  readonly alsoReads?: readonly string[];
}

/**
 * Lets git merge two commits without files on disk. New blobs and trees are in the folder for objects.
 *
 * @throws ForgeError `busy`; `invalid` if the merge takes too much time or memory
 * @see git-merge-tree(1), --write-tree
 */
export async function mergeWithGit(place: MergePlace, { ours, theirs }: CommitMerge): Promise<MergeOutcome> {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs];
  const settings = [
    'core.fsync=loose-object',
    'core.fsyncMethod=fsync',
    `merge.renameLimit=${GIT_LIMITS.mergeRenamesMax}`,
  ];
  const command = { ...place, args, settings, memoryBytesMax: GIT_LIMITS.mergeMemoryBytesMax };
  try {
    const { stdout, exitCode } = await runGit(command, {
      slots: PROCESS_SLOTS.merges,
      signal: currentCaller().left,
      deadlineMs: GIT_LIMITS.mergeMs,
      hasLowPriority: true,
      answersAlso: [HAS_CONFLICTS],
    });
    const [tree = '', ...paths] = stdout.toString('latin1').split('\0');
    if (exitCode !== HAS_CONFLICTS) return { kind: 'clean', tree };
    const named = [...new Set(paths.filter((path) => path !== '').map(textOf))];
    return { kind: 'conflict', paths: named.slice(0, GIT_LIMITS.conflictsNamedMax) };
  } catch (error) {
    if (!(error instanceof GitFailedError) || !wasTooMuch(error)) throw error;
    throw invalid('this merge takes too much time or memory: merge in a clone and push the result');
  }
}

/** @param path characters stand for bytes */
function textOf(path: string): string {
  return pathOfBytes(Buffer.from(path, 'latin1'));
}

const AT_ANY_TIME: Signature = { name: 'Quire', email: 'quire', seconds: 0, zone: '+0000' };

/**
 * Lets git apply the changes between two trees to a third one. git merges only commits, so it gets commits that no
 * repository has.
 *
 * Throws as `mergeWithGit`.
 */
export async function mergeTreesWithGit(
  place: MergePlace,
  format: ObjectFormat,
  { base, ours, theirs }: TreeMerge,
): Promise<MergeOutcome> {
  const from = commitOf(format, base, []);
  const [one, other] = [commitOf(format, ours, [from.oid]), commitOf(format, theirs, [from.oid])];
  // Objects in this folder do not move into the repository.
  const folder = join(place.objectsFolder, randomName());
  for (const commit of [from, one, other]) await writeLooseObject(folder, commit);
  return mergeWithGit({ ...place, alsoReads: [folder] }, { ours: one.oid, theirs: other.oid });
}

function commitOf(format: ObjectFormat, tree: Oid, parents: readonly Oid[]): GitObject {
  const content = encodeCommit(format, {
    tree,
    parents,
    author: AT_ANY_TIME,
    committer: AT_ANY_TIME,
    message: '',
  });
  return newObject(format, 'commit', content);
}
