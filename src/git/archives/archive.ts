import { invalid } from '../../base/core/failure.ts';
import { Notice } from '../../base/core/spool/notice.ts';
import type { GitDir } from '../folders/repository-layout.ts';
import type { ObjectFormat, Oid } from '../format/model.ts';
import { branchRef } from '../format/ref-names.ts';
import type { CommitOf } from '../interface/snapshot.ts';
import type { ArchiveOptions } from '../interface/transfers.ts';
import { tooLargeForArchive } from '../interface/transfers.ts';
import { GIT_LIMITS } from '../limits.ts';
import { type GitChild, type GitCommand, type GitExit, startGit } from '../processes/child.ts';
import { GitFailedError, wasTooMuch } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';
import { excluding, findUnsafeEntries } from './unsafe-entries.ts';

const JOINED_BYTES_MIN = 64 * 1024;
/** With more output that is not taken yet, git waits. */
const WAITING_BYTES_MAX = 1024 * 1024;

/** Yields the bytes of an archive while git writes them. Ending the generator ends git. */
export async function* archive(
  gitDir: GitDir,
  commit: CommitOf,
  options: ArchiveOptions,
): AsyncGenerator<Buffer> {
  const isBundle = options.format === 'bundle';
  const { signal } = options;
  const command = isBundle ? packCommand(gitDir) : await archiveCommand(gitDir, commit, options);
  const child = await startGit(command, {
    slots: PROCESS_SLOTS.archives,
    deadlineMs: GIT_LIMITS.archiveMs,
    hasLowPriority: true,
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

/**
 * Leaves out entries that some program would unpack elsewhere, and names them in a file of the archive.
 *
 * @see git-archive(1)
 */
async function archiveCommand(
  gitDir: GitDir,
  { oid }: CommitOf,
  { format, prefix, paths = [], level, signal }: ArchiveOptions,
): Promise<GitCommand> {
  const unsafe = await findUnsafeEntries(gitDir, oid, signal);
  const notice =
    unsafe.length === 0
      ? []
      : [`--add-virtual-file=${quoted(`${prefix}${LEFT_OUT_FILE}`)}:${noticeOf(unsafe)}`];
  const left = unsafe.flatMap(excluding);
  const wanted = paths.length > 0 ? paths.map(included) : ['.'];
  const isWhole = paths.length === 0 && left.length === 0;
  return {
    args: [
      ...[
        'archive',
        `--format=${format}`,
        `--prefix=${prefix}`,
        ...(level === undefined ? [] : [`-${level}`]),
      ],
      ...[...notice, oid],
      ...(isWhole ? [] : ['--', ...wanted, ...left]),
    ],
    gitDir,
    // A few small trees can stand for a billion files, and git holds an entry for each of them.
    memoryBytesMax: GIT_LIMITS.archiveMemoryBytesMax,
  };
}

/** Returns the pattern of a path that a client names. What begins like the magic of git is a name. */
function included(path: string): string {
  return path.startsWith(':') ? `:(top,literal)${path}` : path;
}

/** @see git-archive(1), --add-virtual-file: a path in double quotes is a C string */
function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

/** If the commit has such a file, too, the archive has both. */
const LEFT_OUT_FILE = 'LEFT-OUT-OF-THIS-ARCHIVE.txt';

function noticeOf(paths: readonly string[]): string {
  const lines = paths.map((path) => JSON.stringify(path));
  return `Clone the repository to get these files. Some programs would unpack them outside of this folder:\n${lines.join('\n')}\n`;
}

/** The pack of a bundle has what a clone has. Packing takes the memory of a fetch, whatever the trees stand for. */
function packCommand(gitDir: GitDir): GitCommand {
  return {
    args: ['pack-objects', '--quiet', '--revs', '--stdout', '--delta-base-offset'],
    gitDir,
    settings: ['pack.threads=1', 'pack.windowMemory=64m', 'pack.deltaCacheSize=64m'],
  };
}

/**
 * Joins the output of git, which writes a zip file in thousands of small pieces: handling each of them by itself would
 * take as long as compressing it. Ends early if the child was ended, whose exit says why.
 */
async function* outputOf({ stdout }: GitChild): AsyncGenerator<Buffer> {
  const changed = new Notice();
  let pieces: Buffer[] = [];
  let bytes = 0;
  let isOver = false;
  stdout.on('data', (piece: Buffer) => {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= JOINED_BYTES_MIN) changed.notify();
    if (bytes >= WAITING_BYTES_MAX) stdout.pause();
  });
  stdout.once('close', () => {
    isOver = true;
    changed.notify();
  });
  for (;;) {
    while (bytes < JOINED_BYTES_MIN && !isOver) await changed.next();
    const joined = Buffer.concat(pieces);
    pieces = [];
    bytes = 0;
    stdout.resume();
    if (joined.length > 0) yield joined;
    else if (isOver) return;
  }
}

function requireSuccess({ args }: GitCommand, exit: GitExit): void {
  if (exit.exitCode === 0) return;
  const cause = new GitFailedError(args[0] ?? '', exit);
  if (/^fatal: pathspec /m.test(exit.stderr)) throw invalid('the commit has no such file', { cause });
  if (!wasTooMuch(exit)) throw cause;
  // It was ended by the deadline, or may not allocate more memory.
  throw tooLargeForArchive(cause);
}

/** The branch in a bundle, as in the reference. A clone of the bundle checks it out. */
const BRANCH = branchRef('bundle');

/**
 * Returns what precedes the pack in a bundle of one commit with its whole history.
 *
 * @see gitformat-bundle(5)
 */
function bundleHeader(commit: Oid, format: ObjectFormat): Buffer {
  const signature = format === 'sha1' ? '# v2 git bundle\n' : `# v3 git bundle\n@object-format=${format}\n`;
  return Buffer.from(`${signature}${commit} ${BRANCH}\n${commit} HEAD\n\n`);
}
