import { invalid } from '../../base/core/failure.ts';
import { currentCaller } from '../../base/core/fairness/caller.ts';
import type { Engine } from '../engine.ts';
import type { Oid } from '../format/model.ts';
import type { Snapshot } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import { runGit } from '../processes/child.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';
import { SAFE_DIFF } from './diff-flags.ts';

type Needs = Pick<Engine, 'completeFolder'>;

/**
 * Returns the hunks of a unified diff of two blobs; '' for equal ones and, in place of hunks, a line for binary ones.
 *
 * @see git-diff(1)
 */
export async function compareBlobs(
  engine: Needs,
  snapshot: Snapshot,
  { from, to }: { from: Oid; to: Oid },
): Promise<string> {
  if (from === to) return '';
  const { path: gitDir } = await engine.completeFolder(snapshot.id, snapshot.objectFormat);
  const args = ['diff', ...SAFE_DIFF, from, to];
  const run = {
    slots: PROCESS_SLOTS.diffs,
    deadlineMs: GIT_LIMITS.textMergeMs,
    signal: currentCaller().left,
    stdoutBytesMax: GIT_LIMITS.comparedTextBytesMax,
  };
  try {
    const command = { args, gitDir, memoryBytesMax: GIT_LIMITS.gitComparisonBytesMax };
    const text = (await runGit(command, run)).stdout.toString();
    return text.slice(Math.max(0, text.search(/^(?:@@|Binary files) /m)));
  } catch (error) {
    if (!(error instanceof GitFailedError) || error.exitCode !== null) throw error;
    throw invalid('there is too much to compare');
  }
}
