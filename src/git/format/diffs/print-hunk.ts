import type { DiffLine, Hunk, LineSpan } from './model.ts';

/** The line behind one that does not end with a line feed. */
export const NO_LINE_FEED = '\\ No newline at end of file';
const SIGNS: Readonly<Record<DiffLine['kind'], string>> = { context: ' ', added: '+', removed: '-' };

/** Returns a hunk in git's unified format, without a line feed at its end. */
export function printHunk({ old, new: now, heading, lines }: Hunk): string {
  const header = `@@ -${spanText(old)} +${spanText(now)} @@${heading === '' ? '' : ` ${heading}`}`;
  return [header, ...lines.map(lineText)].join('\n');
}

function lineText({ kind, text, hasLineFeed }: DiffLine): string {
  return `${SIGNS[kind]}${text}${hasLineFeed ? '' : `\n${NO_LINE_FEED}`}`;
}

export function spanText({ start, count }: LineSpan): string {
  return count === 1 ? `${start}` : `${start},${count}`;
}
