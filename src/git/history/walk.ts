import { ForgeError, notFound } from '../../base/core/failure.ts';
import { SharedWork } from '../../base/core/fairness/shared-work.ts';
import type { CommitOf } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import { type GitCommand, runGit } from '../processes/child.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';

/** Ensures that git gets only the id of an existing commit. @throws ForgeError `not_found` */
export async function requireCommit({ snapshot, oid }: CommitOf): Promise<void> {
  const info = await snapshot.objects.info(oid);
  if (info?.type !== 'commit') throw notFound(`commit ${oid}`);
}

const WALKS = new SharedWork<string>();

/**
 * Returns what a command prints that walks through history. Each caller takes a slot, and equal walks run once, until the
 * last caller leaves.
 *
 * @throws ForgeError `busy` if it takes too long; GitFailedError
 */
export function walk(command: GitCommand, input: string | Buffer): Promise<string> {
  return PROCESS_SLOTS.short.run(() =>
    WALKS.run(JSON.stringify([command, input.toString('latin1')]), (signal) =>
      runWalk(command, input, signal),
    ),
  );
}

async function runWalk(command: GitCommand, input: string | Buffer, signal: AbortSignal): Promise<string> {
  try {
    const run = { slots: null, deadlineMs: GIT_LIMITS.historyWalkMs, signal };
    return (await runGit(command, { ...run, input })).stdout.toString();
  } catch (error) {
    if (!(error instanceof GitFailedError) || error.exitCode !== null) throw error;
    const what = 'these histories take too long to compare';
    throw new ForgeError({ kind: 'busy', what, retryAfterSeconds: 60 });
  }
}
