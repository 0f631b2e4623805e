import { type Html, html } from '../../base/core/text/html.ts';
import { WEB_LIMITS } from '../limits.ts';
import { counted } from '../parts/numbers.ts';

/**
 * Returns a table of values that are separated by commas or tabs (RFC 4180).
 *
 * @returns undefined for a text that is no table: a quote is not closed, or there is one column
 */
export function csvTable(text: string, separator: ',' | '\t'): Html | undefined {
  const rows = rowsOf(text, separator);
  if (rows === undefined) return undefined;
  const [head = [], ...rest] = rows;
  if (head.length < 2) return undefined;
  const shown = rest.slice(0, WEB_LIMITS.tableRowsMax);
  const hidden = rest.length - shown.length;
  const cells = (row: readonly string[]) =>
    row.slice(0, WEB_LIMITS.tableColumnsMax).map((cell) => html`<td>${cell}</td>`);
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label="Table"><table class="list">
<thead><tr>${head.slice(0, WEB_LIMITS.tableColumnsMax).map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${shown.map((row) => html`<tr>${cells(row)}</tr>\n`)}</tbody></table></div>
${hidden > 0 ? html`<p class="quiet small content">and ${counted(hidden, 'more row')}: the source has all of them.</p>` : html``}`;
}

function rowsOf(text: string, separator: string): readonly (readonly string[])[] | undefined {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const cell = cellAt(text, at, separator);
    if (cell === undefined) return undefined;
    row.push(cell.value);
    at = cell.end;
    if (text[at] === separator) {
      at += 1;
      if (at < text.length && text[at] !== '\n') continue;
      row.push('');
    }
    if (text.startsWith('\r\n', at)) at += 2;
    else at += 1;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** @returns the value, and where the separator or the end of the line after it is; undefined if a quote is not closed */
function cellAt(text: string, start: number, separator: string): { value: string; end: number } | undefined {
  if (text[start] !== '"') {
    let end = start;
    while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end += 1;
    return { value: text.slice(start, end), end };
  }
  let value = '';
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return undefined;
    value += text.slice(at, quote);
    if (text[quote + 1] !== '"') {
      const isEnd = quote + 1 >= text.length || [separator, '\n', '\r'].includes(text[quote + 1] ?? '');
      return isEnd ? { value, end: quote + 1 } : undefined;
    }
    value += '"';
    at = quote + 2;
  }
}
