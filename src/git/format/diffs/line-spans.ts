import type { LineSpan } from './model.ts';

/** Returns the number of the first line of a span; of an empty one, the number of the line behind it. */
export function firstLine({ start, count }: LineSpan): number {
  return count === 0 ? start + 1 : start;
}

/** Returns the span that begins at a line. */
export function spanFrom(line: number, count: number): LineSpan {
  return { start: count === 0 ? line - 1 : line, count };
}
