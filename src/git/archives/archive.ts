import { PassThrough, pipeline } from 'node:stream';
import { invalid } from '../../core/failure.ts';
import { LIMITS } from '../../core/limits.ts';
import type { CommitOf } from '../model.ts';
import { type GitChild, type GitCommand, type GitExit, startGit } from '../processes/child.ts';
import { GitFailedError, ranOutOfMemory } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';
import { bundleHeader } from './bundle.ts';
import type { ArchiveOptions } from './model.ts';

/** Yields the bytes of an archive while git writes them. Ending the generator ends git. */
export async function* archive(
  gitDir: string,
  commit: CommitOf,
  options: ArchiveOptions,
): AsyncGenerator<Buffer> {
  const isBundle = options.format === 'bundle';
  const command = isBundle ? packCommand(gitDir) : archiveCommand(gitDir, commit, options);
  const { signal } = options;
  const child = await startGit(command, {
    slots: PROCESS_SLOTS.archives,
    deadlineMs: LIMITS.archiveMs,
    signal,
  });
  try {
    child.stdin.end(isBundle ? `${commit.oid}\n` : '');
    // Nothing is yielded before git has written something, so that an early failure is seen as such.
    let header = isBundle ? bundleHeader(commit.oid, commit.snapshot.objectFormat) : undefined;
    for await (const chunk of outputOf(child)) {
      yield header === undefined ? chunk : Buffer.concat([header, chunk]);
      header = undefined;
    }
    signal.throwIfAborted();
    requireSuccess(command, await child.done);
  } finally {
    child.end();
    await child.done;
  }
}

/** @see git-archive(1) */
function archiveCommand(gitDir: string, { oid }: CommitOf, { format, folder }: ArchiveOptions): GitCommand {
  return {
    args: ['archive', `--format=${format}`, `--prefix=${folder}/`, oid],
    gitDir,
    // A few small trees can stand for a billion files, and git holds an entry for each of them.
    memoryBytesMax: LIMITS.archiveMemoryBytesMax,
  };
}

/** The pack of a bundle has what a clone has. Packing takes the memory of a fetch, whatever the trees stand for. */
function packCommand(gitDir: string): GitCommand {
  return {
    args: ['pack-objects', '--quiet', '--revs', '--stdout', '--delta-base-offset'],
    gitDir,
    settings: ['pack.threads=1', 'pack.windowMemory=64m', 'pack.deltaCacheSize=64m'],
  };
}

/** Joins the small pieces of a pipe that arrive while the last one is processed. Ends early if the child was ended. */
async function* outputOf(child: GitChild): AsyncGenerator<Buffer> {
  const joined = new PassThrough({ highWaterMark: LIMITS.spoolMemoryBytesMax });
  pipeline(child.stdout, joined, () => {});
  try {
    yield* joined as AsyncIterable<Buffer>;
  } catch {
    // The exit of the child says why.
  }
}

function requireSuccess({ args }: GitCommand, exit: GitExit): void {
  if (exit.exitCode === 0) return;
  const cause = new GitFailedError(args[0] ?? '', exit);
  if (exit.exitCode !== null && !ranOutOfMemory(exit)) throw cause;
  // It was ended by the deadline, or may not allocate more memory.
  throw invalid('this commit is too large for an archive: clone the repository instead', { cause });
}
