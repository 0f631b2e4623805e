import { setImmediate as giveOthersATurn } from 'node:timers/promises';
import { type ForgeError, invalid } from '../../base/core/failure.ts';
import type { Slice } from '../../base/core/paging.ts';
import type { FileState, ObjectFormat, Oid } from '../format/model.ts';
import { bytesOfPath, pathOfBytes } from '../format/name-bytes.ts';
import { hexDigits } from '../format/object-format.ts';
import type { DifferenceCounts, FileDifference, FileStatus, PathOnSide } from '../interface/file-diffs.ts';
import { GIT_LIMITS } from '../limits.ts';

const NUL = 0;
const TAB = 0x09;
const COLON = 0x3a;
const MINUS = 0x2d;
const ZERO = 0x30;
const RENAMED = 0x52;
const MODE_DIGITS = 6;

/** Reading what git printed gives way to other work after this many files. */
const FILES_IN_ONE_GO = 2_000;
const NUMBERS_PER_FILE = 3;

const STATUSES: Readonly<Record<string, FileStatus>> = {
  A: 'added',
  D: 'removed',
  R: 'renamed',
};

interface Lines {
  readonly additions: number;
  readonly deletions: number;
}

const NO_LINES: Lines = { additions: 0, deletions: 0 };
/** In place of the lines of a binary file. */
const BINARY = 2 ** 32 - 1;

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
    const counts = printedCounts(output, end);
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

interface PrintedCount {
  readonly path: Buffer;
  readonly lines: Lines;
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

interface RawEntry {
  readonly header: Buffer;
  /** null: the same */
  readonly oldPath: Buffer | null;
  readonly newPath: Buffer;
  readonly end: number;
}

/** Reads `:MODES OIDS STATUS` and a path, or two of a renamed file. Each of these fields ends with NUL. */
function rawAt(output: Buffer, start: number, format: ObjectFormat): RawEntry {
  const header = fieldAt(output, start);
  const status = header[statusAt(format)];
  const first = fieldAt(output, start + header.length + 1);
  const second = start + header.length + first.length + 2;
  if (status !== RENAMED) return { header, oldPath: null, newPath: first, end: second };
  const newPath = fieldAt(output, second);
  return { header, oldPath: first, newPath, end: second + newPath.length + 1 };
}

/** Returns where the letter is in `:MODE MODE OID OID STATUS`. */
function statusAt(format: ObjectFormat): number {
  return 1 + 2 * (MODE_DIGITS + 1) + 2 * (hexDigits(format) + 1);
}

function parseHeader(
  header: Buffer,
): readonly [before: FileState | null, after: FileState | null, status: FileStatus] {
  const [oldMode = '', newMode = '', before = '', after = '', status = ''] = header
    .toString('latin1', 1)
    .split(' ');
  return [stateOf(oldMode, before), stateOf(newMode, after), STATUSES[status.charAt(0)] ?? 'modified'];
}

function stateOf(mode: string, oid: Oid): FileState | null {
  return mode === '000000' ? null : { mode: mode as FileState['mode'], oid };
}

/** Yields the entries `ADDED\tDELETED\tPATH`; of a renamed file, `ADDED\tDELETED\t` and two paths. */
function* printedCounts(output: Buffer, start: number): Generator<PrintedCount, undefined> {
  for (let at = start; at < output.length; ) {
    const deletionsAt = output.indexOf(TAB, at) + 1;
    const pathAt = output.indexOf(TAB, deletionsAt) + 1;
    const lines =
      output[at] === MINUS
        ? { additions: BINARY, deletions: BINARY }
        : { additions: numberAt(output, at), deletions: numberAt(output, deletionsAt) };
    let path = fieldAt(output, pathAt);
    let end = pathAt + path.length + 1;
    if (path.length === 0) {
      end += fieldAt(output, end).length + 1;
      path = fieldAt(output, end);
      end += path.length + 1;
    }
    yield { path, lines };
    at = end;
  }
}

function numberAt(output: Buffer, start: number): number {
  let number = 0;
  for (let at = start; output[at] !== TAB; at += 1) number = number * 10 + ((output[at] ?? ZERO) - ZERO);
  return number;
}

function fieldAt(output: Buffer, start: number): Buffer {
  const end = output.indexOf(NUL, start);
  if (end === -1) throw new Error('git has printed a part of an entry');
  return output.subarray(start, end);
}
