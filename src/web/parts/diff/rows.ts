import type { Html } from '../../../base/core/text/html.ts';
import type { ShownFile } from '../../../code/commits/differences.ts';
import type { DiffLine, DiffSide, Hunk } from '../../../git/format/diffs/model.ts';
import { spanText } from '../../../git/format/diffs/print-hunk.ts';
import { type LinePair, lineText, markedLines, numberOn, pairsOf } from './lines.ts';
import type { DiffSlots } from './model.ts';

/** What the rows of one file have in common. */
export interface RowContext {
  readonly file: ShownFile;
  /** beginning of the names of the places in the page */
  readonly anchor: string;
  readonly slots: DiffSlots;
}

/** Returns the rows of a hunk, one below the other, without places and slots. */
export function plainRows(hunk: Hunk): Html {
  const marked = markedLines(pairsOf(hunk));
  const rows = hunk.lines.map((line) => {
    const { kind, oldNumber, newNumber } = line;
    return `<tr${CLASSES[kind]}><td class="n">${oldNumber ?? ''}</td><td class="n">${newNumber ?? ''}</td><td class="sign">${SIGNS[kind]}</td><td class="c">${contentOf(line, marked)}</td></tr>\n`;
  });
  return { html: hunkRow(hunk, UNIFIED_COLUMNS) + rows.join('') };
}

const CLASSES = { context: '', added: ' class="add"', removed: ' class="del"' } as const;
const SIGNS = { context: '', added: '+', removed: '-' } as const;
const UNIFIED_COLUMNS = 4;
const SPLIT_COLUMNS = 6;
const NO_LINE_FEED = '<i class="aside"> no line feed at the end</i>';

// Rows are built as plain texts: a page has thousands of them.

/** Returns the rows of a hunk, one below the other. */
export function unifiedRows(hunk: Hunk, context: RowContext): Html {
  const marked = markedLines(pairsOf(hunk));
  const rows = hunk.lines.map((line) => {
    const { kind } = line;
    const numbers = numberCell(line, 'old', context) + numberCell(line, 'new', context);
    const row = `<tr${CLASSES[kind]}>${numbers}<td class="sign">${SIGNS[kind]}</td><td class="c">${contentOf(line, marked)}</td></tr>\n`;
    return row + slotRow([line], UNIFIED_COLUMNS, context);
  });
  return { html: hunkRow(hunk, UNIFIED_COLUMNS) + rows.join('') };
}

/** Returns the rows of a hunk, with the two sides beside each other. */
export function splitRows(hunk: Hunk, context: RowContext): Html {
  const pairs = pairsOf(hunk);
  const marked = markedLines(pairs);
  const rows = pairs.map((pair) => {
    const cells = sideCells(pair, 'old', { marked, context }) + sideCells(pair, 'new', { marked, context });
    const lines = [...new Set([pair.old, pair.new])].filter((line) => line !== undefined);
    return `<tr>${cells}</tr>\n${slotRow(lines, SPLIT_COLUMNS, context)}`;
  });
  return { html: hunkRow(hunk, SPLIT_COLUMNS) + rows.join('') };
}

function sideCells(
  pair: LinePair,
  side: DiffSide,
  { marked, context }: { readonly marked: ReadonlyMap<DiffLine, Html>; readonly context: RowContext },
): string {
  const line = pair[side];
  if (line === undefined) return '<td class="n"></td><td class="sign none"></td><td class="c none"></td>';
  const look = line.kind === 'context' ? '' : line.kind === 'added' ? ' add' : ' del';
  return `${numberCell(line, side, context, look)}<td class="sign${look}">${SIGNS[line.kind]}</td><td class="c${look}">${contentOf(line, marked)}</td>`;
}

function hunkRow({ old, new: now, heading }: Hunk, columns: number): string {
  const text = lineText(`@@ -${spanText(old)} +${spanText(now)} @@ ${heading}`);
  return `<tr class="hunk"><td colspan="${columns}">${text.html}</td></tr>\n`;
}

function numberCell(line: DiffLine, side: DiffSide, { anchor, file, slots }: RowContext, look = ''): string {
  const number = numberOn(line, side);
  if (number === undefined) return `<td class="n${look}"></td>`;
  const slot = slots.atNumber?.(file, line, side)?.html ?? '';
  // A line that is on both sides has one place.
  if (side === 'old' && line.kind === 'context') return `<td class="n${look}">${slot}${number}</td>`;
  const name = `${anchor}${side === 'old' ? 'L' : 'R'}${number}`;
  return `<td class="n${look}" id="${name}">${slot}<a href="#${name}">${number}</a></td>`;
}

function contentOf(line: DiffLine, marked: ReadonlyMap<DiffLine, Html>): string {
  const text = (marked.get(line) ?? lineText(line.text)).html;
  return line.hasLineFeed ? text : text + NO_LINE_FEED;
}

function slotRow(lines: readonly DiffLine[], columns: number, { file, slots }: RowContext): string {
  if (slots.belowLine === undefined) return '';
  const parts = lines.map((line) => slots.belowLine?.(file, line)?.html ?? '').join('');
  return parts === '' ? '' : `<tr class="below"><td colspan="${columns}">${parts}</td></tr>\n`;
}
