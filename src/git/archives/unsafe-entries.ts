import { ForgeError, invalid } from '../../base/core/failure.ts';
import type { GitDir } from '../folders/repository-layout.ts';
import type { Oid } from '../format/model.ts';
import { bytesOfPath, isQuotedPath, pathOfBytes } from '../format/name-bytes.ts';
import { tooLargeForArchive } from '../interface/transfers.ts';
import { GIT_LIMITS } from '../limits.ts';
import { type GitCommand, startGit } from '../processes/child.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';

/** A backslash separates folders on Windows, and a letter with a colon names a drive: both lead out of the folder. */
const LEADS_OUT = /\\|^[A-Za-z]:/;

/**
 * Finds the entries of a commit that some program would unpack outside of the folder of an archive. git lists the names,
 * because reading the folders of a large commit in this process would take longer than building its archive.
 *
 * @returns their paths; a folder stands for all that it has
 * @throws ForgeError `invalid` for a commit that is too large, or has more than an archive can leave out; the reason of the
 *   signal
 */
export async function findUnsafeEntries(
  gitDir: GitDir,
  commit: Oid,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const command: GitCommand = { args: ['ls-tree', '-r', '-t', '-z', '--name-only', commit], gitDir };
  const child = await startGit(command, {
    slots: PROCESS_SLOTS.archives,
    deadlineMs: GIT_LIMITS.archiveMs,
    hasLowPriority: true,
    signal,
  });
  const found = new Set<string>();
  try {
    child.stdin.end();
    await readPaths(child.stdout, (paths) => addUnsafe(found, paths));
    const exit = await child.done;
    if (exit.exitCode !== 0) throw new GitFailedError('ls-tree', exit);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ForgeError) throw error;
    child.end();
    // The deadline has ended git, which breaks its output.
    if ((await child.done).exitCode === null) throw tooLargeForArchive(error);
    throw error;
  } finally {
    child.end();
    await child.done;
  }
  return [...found];
}

/**
 * Reads paths that end with a NUL each.
 *
 * @throws ForgeError `invalid` for too many: a few small trees can stand for a billion
 */
async function readPaths(output: AsyncIterable<Buffer>, take: (paths: Buffer) => void): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  let bytesRead = 0;
  for await (const chunk of output) {
    bytesRead += chunk.length;
    if (bytesRead > GIT_LIMITS.archiveListedBytesMax) throw tooLargeForArchive();
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(0) + 1;
    take(bytes.subarray(0, end));
    rest = bytes.subarray(end);
  }
}

/** @param paths each ends with a NUL */
function addUnsafe(found: Set<string>, paths: Buffer): void {
  if (!paths.includes('\\') && !paths.includes(':')) return;
  // Characters stand for bytes.
  for (const path of paths.toString('latin1').split('\0')) {
    const names = path.split('/');
    const at = names.findIndex((name) => LEADS_OUT.test(name));
    if (at === -1) continue;
    found.add(pathOfBytes(Buffer.from(names.slice(0, at + 1).join('/'), 'latin1')));
    if (found.size > GIT_LIMITS.archiveEntriesLeftOutMax)
      throw invalid(
        'too many names in this commit lead out of a folder on Windows: clone the repository instead',
      );
  }
}

/**
 * Returns the patterns that leave out an entry, and what is in it. An argument is UTF-8, so in other paths `?` stands for
 * each byte that is not ASCII. What else that matches has the same unsafe part.
 *
 * @see gitglossary(7), pathspec
 */
export function excluding(path: string): readonly string[] {
  if (!isQuotedPath(path)) return [`:(top,literal,exclude)${path}`];
  const bytes = bytesOfPath(path).toString('latin1');
  const pattern = bytes.replaceAll(/[*?[\]\\]/g, '\\$&').replaceAll(/[\u0080-\u00ff]/g, '?');
  return [`:(top,glob,exclude)${pattern}`, `:(top,glob,exclude)${pattern}/**`];
}
