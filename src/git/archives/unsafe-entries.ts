import { invalid } from '../../core/failure.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Oid } from '../model.ts';
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
 * @throws ForgeError `invalid` for more than an archive can leave out; the reason of the signal
 */
export async function findUnsafeEntries(
  gitDir: string,
  commit: Oid,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const command: GitCommand = { args: ['ls-tree', '-r', '-t', '-z', '--name-only', commit], gitDir };
  const child = await startGit(command, {
    slots: PROCESS_SLOTS.archives,
    deadlineMs: LIMITS.archiveMs,
    hasLowPriority: true,
    signal,
  });
  const found = new Set<string>();
  try {
    child.stdin.end();
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      const bytes = Buffer.concat([rest, chunk]);
      const end = bytes.lastIndexOf(0) + 1;
      addUnsafe(found, bytes.subarray(0, end));
      rest = bytes.subarray(end);
    }
    signal.throwIfAborted();
    const exit = await child.done;
    if (exit.exitCode !== 0) throw new GitFailedError('ls-tree', exit);
  } finally {
    child.end();
    await child.done;
  }
  return [...found];
}

/** @param paths each ends with a NUL */
function addUnsafe(found: Set<string>, paths: Buffer): void {
  if (!paths.includes('\\') && !paths.includes(':')) return;
  for (const path of paths.toString().split('\0')) {
    const names = path.split('/');
    const at = names.findIndex((name) => LEADS_OUT.test(name));
    if (at === -1) continue;
    found.add(requireNameable(names.slice(0, at + 1).join('/')));
    if (found.size > LIMITS.archiveEntriesLeftOutMax)
      throw invalid(
        'too many names in this commit lead out of a folder on Windows: clone the repository instead',
      );
  }
}

/** git gets the path as an argument, which is valid Unicode. */
function requireNameable(path: string): string {
  if (!path.includes('\ufffd')) return path;
  throw invalid('a name in this commit leads out of a folder on Windows: clone the repository instead');
}
