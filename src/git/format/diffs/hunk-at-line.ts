import { GIT_LIMITS } from '../../limits.ts';
import { firstLine, spanFrom } from './line-spans.ts';
import type { DiffLine, DiffSide, Hunk, LineSpan } from './model.ts';

const NUMBERS = { old: 'oldNumber', new: 'newNumber' } as const satisfies Record<DiffSide, keyof DiffLine>;

/**
 * Cuts out the part of a hunk that ends at a line, for a comment on the line.
 *
 * @param options.linesBefore the most lines of the hunk that remain before it
 * @returns undefined if no hunk has the line
 */
export function hunkEndingAt(
  hunks: readonly Hunk[],
  { side, line }: { readonly side: DiffSide; readonly line: number },
  { linesBefore }: { readonly linesBefore: number } = { linesBefore: GIT_LIMITS.commentedLinesBeforeMax },
): Hunk | undefined {
  const hunk = hunks.find((each) => isWithin(each[side], line));
  const last = hunk?.lines.findIndex((each) => each[NUMBERS[side]] === line) ?? -1;
  if (hunk === undefined || last === -1) return undefined;
  const first = Math.max(0, last - linesBefore);
  const lines = hunk.lines.slice(first, last + 1);
  const skipped = hunk.lines.slice(0, first);
  return {
    old: spanOf('old', hunk, skipped, lines),
    new: spanOf('new', hunk, skipped, lines),
    heading: first === 0 ? hunk.heading : '',
    lines,
  };
}

function isWithin({ start, count }: LineSpan, line: number): boolean {
  return line >= start && line < start + count;
}

function spanOf(
  side: DiffSide,
  hunk: Hunk,
  skipped: readonly DiffLine[],
  lines: readonly DiffLine[],
): LineSpan {
  return spanFrom(firstLine(hunk[side]) + countOn(side, skipped), countOn(side, lines));
}

function countOn(side: DiffSide, lines: readonly DiffLine[]): number {
  return lines.filter((line) => line[NUMBERS[side]] !== null).length;
}
