import { join } from 'node:path';
import { conflict } from '../../base/core/failure.ts';
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
import { failedByLimit } from '../processes/git-failed-error.ts';
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
 * @throws ForgeError `busy`; `conflict` if the merge takes too much time or memory
 * @see git-merge-tree(1), --write-tree
 */
export async function mergeWithGit(place: MergePlace, merge: CommitMerge): Promise<MergeOutcome> {
  const { fields, hasConflicts } = await runMerge(place, merge, ['--name-only', '--no-messages']);
  const [tree = '', ...names] = fields;
  if (!hasConflicts) return { kind: 'clean', tree };
  const found = names.filter((name) => name !== '').map((name) => ownName(name, merge));
  // A folder that cannot follow its files has no name in the index, so only a message names it.
  const paths =
    found.length > 0 ? found : pathsOfMessages((await runMerge(place, merge, ['--name-only'])).fields);
  const named = [...new Set(paths)].sort().map(textOf);
  return { kind: 'conflict', paths: named.slice(0, GIT_LIMITS.conflictsNamedMax) };
}

/** @returns what git prints, separated by NUL; characters stand for bytes */
async function runMerge(
  place: MergePlace,
  { ours, theirs }: CommitMerge,
  flags: readonly string[],
): Promise<{ readonly fields: readonly string[]; readonly hasConflicts: boolean }> {
  const args = ['merge-tree', '--write-tree', ...flags, '-z', ours, theirs];
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
    return { fields: stdout.toString('latin1').split('\0'), hasConflicts: exitCode === HAS_CONFLICTS };
  } catch (error) {
    if (!failedByLimit(error)) throw error;
    throw conflict('this merge takes too much time or memory: merge in a clone and push the result');
  }
}

/** git renames a file that is in the way of a folder, or of a file of another kind: it appends the name of its side. */
function ownName(name: string, { ours, theirs }: CommitMerge): string {
  return name.replace(new RegExp(`~(?:${ours}|${theirs})(?:_\\d+)?$`), '');
}

/**
 * Returns the paths that messages about conflicts name. Each message is a number of paths, these paths, a kind and a text.
 *
 * @param fields the tree, names of files up to an empty field, and messages
 */
function pathsOfMessages(fields: readonly string[]): readonly string[] {
  const paths: string[] = [];
  for (let at = fields.indexOf('') + 1; at < fields.length; ) {
    const count = Number(fields[at]);
    const kind = fields[at + 1 + count] ?? '';
    if (kind.startsWith('CONFLICT')) paths.push(...fields.slice(at + 1, at + 1 + count));
    at += count + MESSAGE_FIELDS;
  }
  return paths;
}

/** Fields of a message, besides its paths. */
const MESSAGE_FIELDS = 3;

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
