import { setImmediate as giveOthersATurn } from 'node:timers/promises';
import { type ForgeError, invalid } from '../../base/core/failure.ts';
import type { Slice } from '../../base/core/paging.ts';
import type { FileState, ObjectFormat, Oid } from '../format/model.ts';
import { bytesOfPath, pathOfBytes } from '../format/name-bytes.ts';
import type { DifferenceCounts, FileDifference, FileStatus, PathOnSide } from '../interface/file-diffs.ts';
import { GIT_LIMITS } from '../limits.ts';
import { BINARY, COLON, countsFrom, type Lines, rawAt, statusOf } from './printed-entries.ts';

/** Reading what git printed gives way to other work after this many files. */
const FILES_IN_ONE_GO = 2_000;
const NUMBERS_PER_FILE = 3;

const NO_LINES: Lines = { additions: 0, deletions: 0 };
/**
 * The differences of two trees as git prints them, and where each file begins there. This takes a fraction of the memory of
 * the files as objects.
 *
 * @see git-diff-tree(1), RAW OUTPUT FORMAT and OTHER DIFF FORMATS
 */
export class PrintedDifferences {
  readonly #output: Buffer;
  readonly #format: ObjectFormat;
  /** three numbers for each file: where it begins in the output, additions, and deletions */
  readonly #numbers: Uint32Array;
  readonly total: DifferenceCounts;

  private constructor(output: Buffer, format: ObjectFormat, numbers: Uint32Array) {
    this.#output = output;
    this.#format = format;
    this.#numbers = numbers;
    this.total = totalOf(numbers);
  }

  /**
   * Finds the files in the output of `git diff-tree -z --raw --numstat`.
   *
   * @param options.leavesOutEqual whether to leave out files whose lines git does not count, because it ignores all their
   *   changes
   * @throws ForgeError `invalid` for too many files
   */
  static async read(
    output: Buffer,
    format: ObjectFormat,
    { leavesOutEqual }: { leavesOutEqual: boolean },
  ): Promise<PrintedDifferences> {
    const starts: number[] = [];
    let end = 0;
    while (output[end] === COLON) {
      starts.push(end);
      end = rawAt(output, end, format).end;
      if (starts.length > GIT_LIMITS.comparedFilesMax) throw tooMany();
      if (starts.length % FILES_IN_ONE_GO === 0) await giveOthersATurn();
    }
    const numbers: number[] = [];
    // They are in the same order, and git leaves out some.
    const counts = countsFrom(output, end);
    let next = counts.next().value;
    for (const [index, start] of starts.entries()) {
      if ((index + 1) % FILES_IN_ONE_GO === 0) await giveOthersATurn();
      const isCounted = next?.path.equals(rawAt(output, start, format).newPath) === true;
      if (isCounted || !leavesOutEqual) {
        const { additions, deletions } = (isCounted ? next?.lines : undefined) ?? NO_LINES;
        numbers.push(start, additions, deletions);
      }
      if (isCounted) next = counts.next().value;
    }
    return new PrintedDifferences(output, format, Uint32Array.from(numbers));
  }

  /** memory that it takes */
  get bytes(): number {
    return this.#output.length + this.#numbers.byteLength;
  }

  /** Counts the files before a path, in the order of git. */
  countBefore(path: string): number {
    const bytes = bytesOfPath(path);
    let [start, end] = [0, this.total.files];
    while (start < end) {
      const middle = (start + end) >>> 1;
      const { newPath } = rawAt(this.#output, this.#numbers[middle * NUMBERS_PER_FILE] ?? 0, this.#format);
      if (newPath.compare(bytes) < 0) start = middle + 1;
      else end = middle;
    }
    return start;
  }

  files({ offset, limit }: Slice): readonly FileDifference[] {
    const end = Math.min(offset + limit, this.total.files);
    return Array.from({ length: Math.max(0, end - offset) }, (_, index) => this.#file(offset + index));
  }

  /** Returns the file that has a path on one side. */
  find({ side, path }: PathOnSide): FileDifference | undefined {
    const bytes = bytesOfPath(path);
    for (let index = 0; index < this.total.files; index += 1) {
      const start = this.#numbers[index * NUMBERS_PER_FILE] ?? 0;
      const { oldPath, newPath } = rawAt(this.#output, start, this.#format);
      if (!bytes.equals(side === 'old' ? (oldPath ?? newPath) : newPath)) continue;
      const file = this.#file(index);
      if ((side === 'old' ? file.before : file.after) !== null) return file;
    }
    return undefined;
  }

  #file(index: number): FileDifference {
    const [start = 0, additions = 0, deletions = 0] = this.#numbers.subarray(index * NUMBERS_PER_FILE);
    const { header, oldPath, newPath } = rawAt(this.#output, start, this.#format);
    const isBinary = additions === BINARY;
    const [before, after, status] = parseHeader(header);
    return {
      path: pathOfBytes(newPath),
      previousPath: oldPath === null ? null : pathOfBytes(oldPath),
      status,
      additions: isBinary ? 0 : additions,
      deletions: isBinary ? 0 : deletions,
      isBinary,
      before,
      after,
    };
  }
}

function tooMany(): ForgeError {
  return invalid(`at most ${GIT_LIMITS.comparedFilesMax} changed files are compared`);
}

function totalOf(numbers: Uint32Array): DifferenceCounts {
  let [additions, deletions] = [0, 0];
  for (let at = 0; at < numbers.length; at += NUMBERS_PER_FILE) {
    if (numbers[at + 1] === BINARY) continue;
    additions += numbers[at + 1] ?? 0;
    deletions += numbers[at + 2] ?? 0;
  }
  return { files: numbers.length / NUMBERS_PER_FILE, additions, deletions };
}

function parseHeader(
  header: Buffer,
): readonly [before: FileState | null, after: FileState | null, status: FileStatus] {
  const [oldMode = '', newMode = '', before = '', after = '', status = ''] = header
    .toString('latin1', 1)
    .split(' ');
  return [stateOf(oldMode, before), stateOf(newMode, after), statusOf(status)];
}

function stateOf(mode: string, oid: Oid): FileState | null {
  return mode === '000000' ? null : { mode: mode as FileState['mode'], oid };
}
