import type { Engine } from '../../engine.ts';
import { pathsInHeader } from '../../format/diffs/header-paths.ts';
import type { DiffOptions, FileDiff } from '../../interface/file-diffs.ts';
import type { CommitOf } from '../../interface/snapshot.ts';
import { GIT_LIMITS } from '../../limits.ts';
import { type GitCommand, startGit } from '../../processes/child.ts';
import { GitFailedError, ranOutOfMemory } from '../../processes/git-failed-error.ts';
import { treesOf } from '../compare-files.ts';
import { SAFE_DIFF, WHITESPACE } from '../diff-flags.ts';
import { KnownComparisons } from '../known-comparisons.ts';
import { sharedObjects } from '../shared-objects.ts';
import { withinMemory } from '../within-memory.ts';

type Needs = Pick<Engine, 'completeFolder'>;
type Diffs = ReadonlyMap<string, FileDiff>;

/** Begins the part of each file. Lines of files have a sign before them. */
const BEGINNING = Buffer.from('\ndiff --git ');
/** What a result takes in the cache besides its texts, for each file. */
const CACHED_CHARS_MIN = 128;

/** Compares the lines of several files in one git process. The results never change, so the last ones are cached. */
export class SeveralDiffs {
  readonly #engine: Needs;
  readonly #known = new KnownComparisons<Diffs>({
    sizeMax: GIT_LIMITS.fileDiffsCachedCharsMax,
    sizeOf: (diffs) => {
      let size = CACHED_CHARS_MIN;
      for (const [path, diff] of diffs)
        size += CACHED_CHARS_MIN + path.length + (diff.kind === 'text' ? diff.hunks.length : 0);
      return size;
    },
  });

  constructor(engine: Needs) {
    this.#engine = engine;
  }

  async find(
    from: CommitOf | null,
    to: CommitOf,
    { whitespace, contextLines, filesMax }: DiffOptions & { readonly filesMax: number },
  ): Promise<Diffs> {
    const [before, after] = await treesOf(from, to);
    if (before === after) return new Map();
    const unified = `--unified=${Math.min(contextLines, GIT_LIMITS.diffContextLinesMax)}`;
    const renames = ['--find-renames', `-l${GIT_LIMITS.renamesSoughtMax}`];
    const flags = [unified, ...renames, ...WHITESPACE[whitespace], ...SAFE_DIFF];
    return this.#known.find(`${before} ${after} ${flags} ${filesMax}`, async (signal) => {
      const location = await sharedObjects(this.#engine, to.snapshot, (from ?? to).snapshot);
      const command = { args: ['diff-tree', '-r', '-p', ...flags, before, after], ...location };
      return withinMemory(command, (limited) => read(limited, { signal, filesMax }));
    });
  }
}

/** Reads the parts of files until the limits are reached, and then ends git. */
async function read(
  command: GitCommand,
  { signal, filesMax }: { readonly signal: AbortSignal; readonly filesMax: number },
): Promise<Diffs> {
  const child = await startGit(command, {
    slots: null,
    signal,
    deadlineMs: GIT_LIMITS.severalDiffsMs,
    lowPriorityAfterMs: GIT_LIMITS.comparedFilesInHasteMs,
  });
  child.stdin.end();
  const diffs = new Map<string, FileDiff>();
  let isWhole = true;
  try {
    for await (const part of partsOf(child.stdout as AsyncIterable<Buffer>)) {
      if (part === null || diffs.size === filesMax) {
        isWhole = false;
        break;
      }
      add(diffs, part);
    }
  } catch {
    // git was ended; its exit says so.
  }
  child.end();
  const exit = await child.done;
  signal.throwIfAborted();
  if (!isWhole || exit.exitCode === 0) return diffs;
  if (exit.exitCode !== null || ranOutOfMemory(exit)) throw new GitFailedError('diff-tree', exit);
  // Its time was up in the middle of the last file.
  const last = [...diffs.keys()].at(-1);
  if (last !== undefined) diffs.delete(last);
  return diffs;
}

/** A part of a diff: all about one file, or as much as one file may have. */
interface Part {
  readonly bytes: Buffer;
  readonly isCut: boolean;
}

/** Yields the parts of files, which are complete or too long; null if too much was read. */
async function* partsOf(output: AsyncIterable<Buffer>): AsyncGenerator<Part | null> {
  // With a line feed before it, the first part begins as the others do.
  let waiting: Buffer = Buffer.from('\n');
  let head: Buffer | undefined;
  let [readBytes, keptBytes] = [0, 0];
  for await (const chunk of output) {
    readBytes += chunk.length;
    waiting = Buffer.concat([waiting, chunk]);
    for (;;) {
      const next = waiting.indexOf(BEGINNING, 1);
      if (next === -1) break;
      const part = { bytes: head ?? waiting.subarray(1, next + 1), isCut: head !== undefined };
      head = undefined;
      waiting = waiting.subarray(next);
      keptBytes += part.bytes.length;
      yield part;
    }
    if (waiting.length > GIT_LIMITS.severalDiffsFileBytesMax) {
      head ??= waiting.subarray(1, GIT_LIMITS.severalDiffsFileBytesMax);
      waiting = waiting.subarray(waiting.length - BEGINNING.length);
    }
    if (readBytes > GIT_LIMITS.severalDiffsReadBytesMax || keptBytes > GIT_LIMITS.severalDiffsBytesMax) {
      yield null;
      return;
    }
  }
  if (head !== undefined || waiting.length > 1)
    yield { bytes: head ?? waiting.subarray(1), isCut: head !== undefined };
}

const HEADER_BYTES_MAX = 16 * 1024;
const HUNK = /^@@ /m;
const BINARY = /^Binary files /m;

function add(diffs: Map<string, FileDiff>, { bytes, isCut }: Part): void {
  const header = bytes.toString('latin1', 0, HEADER_BYTES_MAX);
  const hunksAt = header.search(HUNK);
  const lines = (hunksAt === -1 ? header : header.slice(0, hunksAt)).split('\n');
  const path = lines.flatMap((line) => [...pathsInHeader(line)]).at(-1);
  if (path === undefined) return;
  if (isCut) diffs.set(path, { kind: 'too_large' });
  else if (hunksAt === -1) {
    const isBinary = BINARY.test(header);
    if (isBinary || !diffs.has(path))
      diffs.set(path, isBinary ? { kind: 'binary' } : { kind: 'text', hunks: '' });
  } else {
    // A file that becomes a link has two parts: one in which it is removed, and one in which the link is added.
    const earlier = diffs.get(path);
    const hunks = `${earlier?.kind === 'text' ? earlier.hunks : ''}${bytes.toString('utf8', hunksAt)}`;
    diffs.set(path, { kind: 'text', hunks });
  }
}
