import type { ObjectFormat } from '../format/model.ts';
import { hexDigits } from '../format/object-format.ts';
import type { FileStatus } from '../interface/file-diffs.ts';

// The entries that `git diff-tree -z` prints with `--raw` and `--numstat`.
// See git-diff-tree(1), RAW OUTPUT FORMAT and OTHER DIFF FORMATS.

const NUL = 0;
const TAB = 0x09;
/** begins an entry of `--raw` */
export const COLON = 0x3a;
const MINUS = 0x2d;
const ZERO = 0x30;
const RENAMED = 0x52;
const MODE_DIGITS = 6;

const STATUSES: Readonly<Record<string, FileStatus>> = {
  A: 'added',
  D: 'removed',
  R: 'renamed',
};

/** @param status letter of an entry of `--raw`, perhaps with a number after it */
export function statusOf(status: string): FileStatus {
  return STATUSES[status.charAt(0)] ?? 'modified';
}

export interface Lines {
  readonly additions: number;
  readonly deletions: number;
}

/** In place of the lines of a binary file. */
export const BINARY = 2 ** 32 - 1;

export interface RawEntry {
  /** `:MODE MODE OID OID STATUS` */
  readonly header: Buffer;
  /** null: the same */
  readonly oldPath: Buffer | null;
  readonly newPath: Buffer;
  readonly end: number;
}

/** Reads `:MODES OIDS STATUS` and a path, or two of a renamed file. Each of these fields ends with NUL. */
export function rawAt(output: Buffer, start: number, format: ObjectFormat): RawEntry {
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

export interface PrintedCount {
  readonly path: Buffer;
  readonly lines: Lines;
  readonly end: number;
}

/** Reads `ADDED\tDELETED\tPATH`; of a renamed file, `ADDED\tDELETED\t` and two paths. */
export function countAt(output: Buffer, start: number): PrintedCount {
  const deletionsAt = output.indexOf(TAB, start) + 1;
  const pathAt = output.indexOf(TAB, deletionsAt) + 1;
  const lines =
    output[start] === MINUS
      ? { additions: BINARY, deletions: BINARY }
      : { additions: numberAt(output, start), deletions: numberAt(output, deletionsAt) };
  let path = fieldAt(output, pathAt);
  let end = pathAt + path.length + 1;
  if (path.length === 0) {
    end += fieldAt(output, end).length + 1;
    path = fieldAt(output, end);
    end += path.length + 1;
  }
  return { path, lines, end };
}

/** Yields what `countAt` reads, up to the end of the output. */
export function* countsFrom(output: Buffer, start: number): Generator<PrintedCount, undefined> {
  for (let at = start; at < output.length; ) {
    const count = countAt(output, at);
    yield count;
    at = count.end;
  }
}

function numberAt(output: Buffer, start: number): number {
  let number = 0;
  for (let at = start; output[at] !== TAB; at += 1) number = number * 10 + ((output[at] ?? ZERO) - ZERO);
  return number;
}

/** Returns the bytes from `start` up to the next NUL. */
export function fieldAt(output: Buffer, start: number): Buffer {
  const end = output.indexOf(NUL, start);
  if (end === -1) throw new Error('git has printed a part of an entry');
  return output.subarray(start, end);
}
