import { invalid } from '../../base/core/failure.ts';
import type { Spool } from '../../base/core/spool/spool.ts';
import type { Engine } from '../engine.ts';
import { emptyTreeOid } from '../format/object-format.ts';
import type { DiffText } from '../interface/history.ts';
import type { CommitOf } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import { type GitChild, type GitCommand, startGit } from '../processes/child.ts';
import { GitFailedError, wasTooMuch } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';
import { spoolOutput } from '../processes/spool-output.ts';
import { SAFE_DIFF } from './diff-flags.ts';
import { sharedObjects } from './shared-objects.ts';
import { requireCommit } from './walk.ts';

type Needs = Pick<Engine, 'completeFolder' | 'transfers'>;

const AS_EMAIL = [...SAFE_DIFF, '--binary', '--find-renames'];

/**
 * Streams a diff or patch. git ends when it has written its output, even if the client has not read it yet.
 *
 * @see git-diff-tree(1), git-format-patch(1)
 */
export async function streamDiff(
  engine: Needs,
  text: DiffText,
  signal: AbortSignal,
): Promise<AsyncIterable<Buffer>> {
  const command = await commandFor(engine, text);
  const limited = { ...command, memoryBytesMax: GIT_LIMITS.gitComparisonBytesMax };
  const child = await startGit(limited, { slots: PROCESS_SLOTS.diffs, signal, hasLowPriority: true });
  child.stdin.end();
  // Output does not extend this time, as it would extend that of a deadline: a few objects can stand for any text.
  const timeUp = setTimeout(() => child.end(), GIT_LIMITS.diffMs);
  const output = spoolOutput(engine.transfers.spools, child, { bytesMax: GIT_LIMITS.diffBytesMax });
  const discard = () => void output.destroy(signal.reason);
  if (signal.aborted) discard();
  signal.addEventListener('abort', discard, { once: true });
  void child.done.then(() => {
    clearTimeout(timeUp);
    signal.removeEventListener('abort', discard);
  });
  return begun(child, output, signal);
}

/** Waits for the first piece, because until then a failure can still become a response. */
async function begun(child: GitChild, output: Spool, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
  const pieces = output.read();
  const first = await pieces.next();
  if (first.done === true) await requireSuccess(child, signal);
  return (async function* () {
    try {
      if (first.done !== true) yield first.value;
      yield* pieces;
      await requireSuccess(child, signal);
    } finally {
      child.end();
      await output.destroy(new Error('the text is not read any more'));
    }
  })();
}

async function requireSuccess(child: GitChild, signal: AbortSignal): Promise<void> {
  const exit = await child.done;
  signal.throwIfAborted();
  if (exit.exitCode === 0) return;
  if (wasTooMuch(exit)) throw invalid('there are too many changes to compare');
  throw new GitFailedError('diff', exit);
}

async function commandFor(engine: Needs, text: DiffText): Promise<GitCommand> {
  if (text.kind === 'diff') {
    const { from, to } = text;
    const after = (await to.snapshot.objects.readCommit(to.oid)).tree;
    const before = from === null ? emptyTreeOid(to.snapshot.objectFormat) : await treeOf(from);
    const location = await sharedObjects(engine, to.snapshot, from?.snapshot ?? to.snapshot);
    const flags = ['--find-renames', ...(text.binary === true ? ['--binary'] : []), ...SAFE_DIFF];
    return { args: ['diff-tree', '-r', '-p', ...flags, before, after], ...location };
  }
  if (text.kind === 'patches') {
    const { from, to } = text;
    await Promise.all([from, to].map(requireCommit));
    const location = await sharedObjects(engine, to.snapshot, from.snapshot);
    return { args: [...formatPatch(), to.oid, `^${from.oid}`], ...location };
  }
  const { snapshot, oid } = text.of;
  const { parents } = await snapshot.objects.readCommit(oid);
  const location = await sharedObjects(engine, snapshot, snapshot);
  if (parents.length <= 1) return { args: [...formatPatch(), '--root', '-1', oid], ...location };
  // git-format-patch leaves out merges.
  const asMerge = ['log', '-1', '--format=email', '--first-parent', '-m', '--stat', '-p'];
  return { args: [...asMerge, ...AS_EMAIL, oid], ...location };
}

function formatPatch(): readonly string[] {
  return ['format-patch', '--stdout', '--no-signature', ...AS_EMAIL];
}

async function treeOf({ snapshot, oid }: CommitOf): Promise<string> {
  return (await snapshot.objects.readCommit(oid)).tree;
}
