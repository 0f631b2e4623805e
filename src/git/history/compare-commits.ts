import { ForgeError, notFound } from '../../core/failure.ts';
import { LIMITS } from '../../core/limits.ts';
import { SharedWork } from '../../core/shared-work.ts';
import type { Engine } from '../engine.ts';
import type { Apart, CommitOf } from '../model.ts';
import { type GitCommand, runGit } from '../processes/child.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';
import { sharedObjects } from './shared-objects.ts';

const WALKS = new SharedWork<string>();

/** @see git-rev-list(1), --left-right */
export async function countBetween(engine: Engine, base: CommitOf, head: CommitOf): Promise<Apart> {
  await Promise.all([base, head].map(requireCommit));
  const location = await sharedObjects(engine, head.snapshot, base.snapshot);
  const args = ['rev-list', '--count', '--left-right', '--stdin'];
  const counts = await walk({ args, ...location }, `${base.oid}...${head.oid}\n`);
  const [behind = 0, ahead = 0] = counts.trim().split('\t').map(Number);
  return { behind, ahead };
}

/** @see git-merge-base(1), --is-ancestor */
export async function isAncestor(engine: Engine, ancestor: CommitOf, descendant: CommitOf): Promise<boolean> {
  await Promise.all([ancestor, descendant].map(requireCommit));
  const location = await sharedObjects(engine, descendant.snapshot, ancestor.snapshot);
  const args = ['merge-base', '--is-ancestor', ancestor.oid, descendant.oid];
  try {
    await walk({ args, ...location }, '');
    return true;
  } catch (error) {
    if (error instanceof GitFailedError && error.exitCode === 1) return false;
    throw error;
  }
}

/** Ensures that git gets only the id of an existing commit. @throws ForgeError `not_found` */
async function requireCommit({ snapshot, oid }: CommitOf): Promise<void> {
  const info = await snapshot.objects.info(oid);
  if (info?.type !== 'commit') throw notFound(`no commit ${oid}`);
}

/** Returns what git prints. Each caller takes a slot, and equal walks run once, until the last caller leaves. */
function walk(command: GitCommand, input: string): Promise<string> {
  return PROCESS_SLOTS.short.run(() =>
    WALKS.run(JSON.stringify([command, input]), (signal) => runWalk(command, input, signal)),
  );
}

async function runWalk(command: GitCommand, input: string, signal: AbortSignal): Promise<string> {
  try {
    const run = { slots: null, deadlineMs: LIMITS.historyWalkMs, signal };
    return (await runGit(command, { ...run, input })).stdout.toString();
  } catch (error) {
    if (!(error instanceof GitFailedError) || error.exitCode !== null) throw error;
    const what = 'these histories take too long to compare';
    throw new ForgeError({ kind: 'busy', what, retryAfterSeconds: 60 });
  }
}
