import { invalid } from '../../../base/core/failure.ts';
import type { Engine } from '../../engine.ts';
import type { DiffText } from '../../interface/history.ts';
import { GIT_LIMITS } from '../../limits.ts';
import { type GitCommand, startGit } from '../../processes/child.ts';
import { failedByLimit, GitFailedError } from '../../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../../processes/process-slots.ts';
import { spoolOutput } from '../../processes/spool-output.ts';
import { treesOf } from '../compare-files.ts';
import { SAFE_DIFF } from '../diff-flags.ts';
import { sharedObjects } from '../shared-objects.ts';
import { requireCommit } from '../walk.ts';
import { withinMemory } from '../within-memory.ts';

type Needs = Pick<Engine, 'completeFolder' | 'transfers'>;

const AS_EMAIL = [...SAFE_DIFF, '--binary', '--find-renames'];

/** Begins a diff in which large files are only named. git ignores lines before the first file. */
const LEFT_OUT_MARK = Buffer.from(
  `# There are too many changes: files of ${GIT_LIMITS.largeFileBytesMin / 1024} KiB or more are not compared, and are named as binary files.\n`,
);

/**
 * Streams a diff or patch. Git writes all of it before this returns, because there is no mark that ends a cut text: git
 * applies the files before a broken binary file, and says that it has succeeded.
 *
 * @see git-diff-tree(1), git-format-patch(1)
 */
export async function streamDiff(
  engine: Needs,
  text: DiffText,
  signal: AbortSignal,
): Promise<AsyncIterable<Buffer>> {
  const command = await commandFor(engine, text);
  const namesLarge = text.kind === 'diff' && text.binary !== true;
  try {
    return await withinMemory(command, (limited, { isWhole }) =>
      write(engine, limited, { signal, mark: isWhole || !namesLarge ? [] : [LEFT_OUT_MARK] }),
    );
  } catch (error) {
    if (!failedByLimit(error)) throw error;
    throw invalid('there are too many changes to compare');
  }
}

/** @throws GitFailedError if git fails */
async function write(
  engine: Needs,
  command: GitCommand,
  { signal, mark }: { readonly signal: AbortSignal; readonly mark: readonly Buffer[] },
): Promise<AsyncIterable<Buffer>> {
  const child = await startGit(command, { slots: PROCESS_SLOTS.diffs, signal, hasLowPriority: true });
  child.stdin.end();
  // Output does not extend this time, as it would extend that of a deadline: a few objects can stand for any text.
  const timeUp = setTimeout(() => child.end(), GIT_LIMITS.diffMs);
  const output = spoolOutput(engine.transfers.spools, child, { bytesMax: GIT_LIMITS.diffBytesMax });
  const discard = () => void output.destroy(signal.reason);
  if (signal.aborted) discard();
  signal.addEventListener('abort', discard, { once: true });
  const exit = await child.done;
  clearTimeout(timeUp);
  if (signal.aborted || exit.exitCode !== 0) {
    signal.removeEventListener('abort', discard);
    await output.destroy(new Error('the text is not read'));
    signal.throwIfAborted();
    throw new GitFailedError('diff', exit);
  }
  return (async function* () {
    try {
      yield* mark;
      yield* output.read();
    } finally {
      signal.removeEventListener('abort', discard);
      await output.destroy(new Error('the text is not read any more'));
    }
  })();
}

async function commandFor(engine: Needs, text: DiffText): Promise<GitCommand> {
  if (text.kind === 'diff') {
    const { from, to } = text;
    const [before, after] = await treesOf(from, to);
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
