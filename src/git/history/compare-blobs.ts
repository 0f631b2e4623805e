import { invalid } from '../../base/core/failure.ts';
import { currentCaller } from '../../base/core/fairness/caller.ts';
import type { Engine } from '../engine.ts';
import type { Oid } from '../format/model.ts';
import type { Snapshot } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import { type GitCommand, type GitRun, runGit } from '../processes/child.ts';
import { failedByLimit } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';
import { SAFE_DIFF } from './diff-flags.ts';

type Needs = Pick<Engine, 'completeFolder'>;

export interface BlobPair {
  readonly from: Oid;
  readonly to: Oid;
}

/**
 * Returns the hunks of a unified diff of two blobs; '' for equal ones and, in place of hunks, a line for binary ones.
 */
export async function compareBlobs(engine: Needs, snapshot: Snapshot, blobs: BlobPair): Promise<string> {
  if (blobs.from === blobs.to) return '';
  const { path: gitDir } = await engine.completeFolder(snapshot.id, snapshot.objectFormat);
  const run = {
    slots: PROCESS_SLOTS.diffs,
    signal: currentCaller().left,
    hasLowPriority: true,
    stdoutBytesMax: GIT_LIMITS.comparedTextBytesMax,
  };
  try {
    return await printHunks({ gitDir }, blobs, { flags: [], ...run });
  } catch (error) {
    if (!failedByLimit(error)) throw error;
    throw invalid('there is too much to compare');
  }
}

/**
 * Lets git compare two blobs. Returns as `compareBlobs`.
 *
 * @throws GitFailedError if there is too much to compare, too; ForgeError `busy`
 * @see git-diff(1)
 */
export async function printHunks(
  location: Pick<GitCommand, 'gitDir' | 'alsoReads'>,
  { from, to }: BlobPair,
  { flags, ...run }: GitRun & { readonly flags: readonly string[]; readonly stdoutBytesMax: number },
): Promise<string> {
  const args = ['diff', ...flags, ...SAFE_DIFF, from, to];
  const command = { args, memoryBytesMax: GIT_LIMITS.gitComparisonBytesMax, ...location };
  const { stdout } = await runGit(command, { deadlineMs: GIT_LIMITS.textMergeMs, ...run });
  const text = stdout.toString();
  return text.slice(Math.max(0, text.search(HUNKS)));
}

export const BINARY_LINE = 'Binary files ';
const HUNKS = new RegExp(`^(?:@@|${BINARY_LINE})`, 'm');
