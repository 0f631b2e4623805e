import { spanFrom } from './line-spans.ts';
import type { LineSpan } from './model.ts';
import { NO_LINE_FEED, spanText } from './print-hunk.ts';

/**
 * Returns the hunk in which all lines of a text are removed and all of another one are added, as git shows a file that
 * is new or gone. Returns '' if there are no lines.
 */
export function printWholeChange(before: string, after: string): string {
  if (before === '' && after === '') return '';
  const header = `@@ -${spanText(wholeSpan(before))} +${spanText(wholeSpan(after))} @@\n`;
  return header + signed('-', before) + signed('+', after);
}

/** Returns the number of lines, or at least `max + 1` if there are more than `max`. */
export function countLines(text: string, max = Number.POSITIVE_INFINITY): number {
  let count = 0;
  for (let at = 0; at < text.length && count <= max; count += 1) {
    const feed = text.indexOf('\n', at);
    at = feed === -1 ? text.length : feed + 1;
  }
  return count;
}

function wholeSpan(text: string): LineSpan {
  return spanFrom(1, countLines(text));
}

function signed(sign: string, text: string): string {
  if (text === '') return '';
  const isEnded = text.endsWith('\n');
  const lines = (isEnded ? text.slice(0, -1) : text).replaceAll('\n', `\n${sign}`);
  return `${sign}${lines}\n${isEnded ? '' : `${NO_LINE_FEED}\n`}`;
}
