import { currentCaller } from '../../../base/core/fairness/caller.ts';
import type { Engine } from '../../engine.ts';
import { pathOfBytes } from '../../format/name-bytes.ts';
import type { FoundLine, FoundLines } from '../../interface/blame.ts';
import type { CommitOf } from '../../interface/snapshot.ts';
import { GIT_LIMITS } from '../../limits.ts';
import { startGit } from '../../processes/child.ts';
import { failedByLimit, GitFailedError } from '../../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../../processes/process-slots.ts';
import { requireCommit } from '../walk.ts';

type Needs = Pick<Engine, 'completeFolder'>;

const NUL = 0;
const LINE_FEED = 0x0a;
/** git found nothing. */
const NONE = 1;

/**
 * Lets git search the text files of a commit, in any case of ASCII letters. Ends it after a number of lines, or a time.
 *
 * @see git-grep(1)
 */
export async function searchFiles(engine: Needs, commit: CommitOf, text: string): Promise<FoundLines> {
  await requireCommit(commit);
  const { snapshot, oid } = commit;
  const { path: gitDir } = await engine.completeFolder(snapshot.id, snapshot.objectFormat);
  const flags = ['-n', '-z', '-I', '-i', '-F', '--full-name', '--no-color', '--threads=1', '-f', '-'];
  const signal = currentCaller().left;
  const child = await startGit(
    { args: ['grep', ...flags, oid], gitDir, memoryBytesMax: GIT_LIMITS.gitComparisonBytesMax },
    {
      slots: PROCESS_SLOTS.searches,
      signal,
      deadlineMs: GIT_LIMITS.codeSearchMs,
      lowPriorityAfterMs: GIT_LIMITS.comparedFilesInHasteMs,
    },
  );
  child.stdin.end(text);
  const found: FoundLine[] = [];
  let isCut = false;
  try {
    for await (const line of linesOf(child.stdout as AsyncIterable<Buffer>)) {
      const one = foundLine(line, oid, text);
      if (one !== undefined) found.push(one);
      isCut = found.length >= GIT_LIMITS.codeSearchLinesMax;
      if (isCut) break;
    }
  } catch {
    // git was ended; its exit says so.
  }
  child.end();
  const exit = await child.done;
  signal?.throwIfAborted();
  if (isCut) return { lines: found, isCut };
  if (exit.exitCode === 0 || exit.exitCode === NONE) return { lines: found, isCut: false };
  const error = new GitFailedError('grep', exit);
  if (!failedByLimit(error)) throw error;
  return { lines: found, isCut: true };
}

/** Yields lines; of a very long one, its beginning. */
async function* linesOf(output: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer = Buffer.alloc(0);
  for await (const chunk of output) {
    let at = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, at)) {
      yield Buffer.concat([waiting, chunk.subarray(at, end)]);
      waiting = Buffer.alloc(0);
      at = end + 1;
    }
    if (waiting.length < GIT_LIMITS.codeSearchLineBytesMax)
      waiting = Buffer.concat([waiting, chunk.subarray(at)]);
  }
}

/** Reads `COMMIT:PATH`, NUL, the number of a line, NUL and the line. */
function foundLine(line: Buffer, oid: string, text: string): FoundLine | undefined {
  const first = line.indexOf(NUL);
  const second = line.indexOf(NUL, first + 1);
  if (first === -1 || second === -1) return undefined;
  const path = pathOfBytes(line.subarray(oid.length + 1, first));
  const number = Number(line.toString('latin1', first + 1, second));
  return { path, number, text: shownPart(line.toString('utf8', second + 1), text) };
}

/** Returns a line; of a long one, the part around the text. */
function shownPart(line: string, text: string): string {
  const max = GIT_LIMITS.codeSearchLineCharsMax;
  if (line.length <= max) return line;
  const at = Math.max(0, line.toLowerCase().indexOf(text.toLowerCase()));
  const start = Math.max(0, Math.min(at - max / 2, line.length - max));
  return line.slice(start, start + max);
}
