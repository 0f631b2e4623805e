import { firstLine } from './line-spans.ts';
import type { Hunk } from './model.ts';

/**
 * Returns the number that a line of the old side has on the new side; null if the line was changed or removed.
 *
 * @param hunks all hunks of a file, with any number of lines around the changes
 * @param line from 1
 */
export function lineAfter(hunks: readonly Hunk[], line: number): number | null {
  let moved = 0;
  for (const hunk of hunks) {
    const first = firstLine(hunk.old);
    if (line < first) break;
    if (line < first + hunk.old.count)
      return hunk.lines.find(({ oldNumber }) => oldNumber === line)?.newNumber ?? null;
    moved = firstLine(hunk.new) + hunk.new.count - (first + hunk.old.count);
  }
  return line + moved;
}
