import { setImmediate as giveOthersATurn } from 'node:timers/promises';
import { type Html, html } from '../../../base/core/text/html.ts';
import type { Differences, ShownFile } from '../../../code/commits/differences.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { emptyHtml } from '../lists.ts';
import { counted } from '../numbers.ts';
import { fileHtml, fileListItem, linesOf } from './file.ts';
import { lookPath } from './look.ts';
import type { DiffPlace } from './model.ts';

/** Building a page gives way to other work after this many lines. */
const LINES_IN_ONE_GO = 500;

/** Returns the files that differ, and their differences. */
export async function diffHtml(differences: Differences, place: DiffPlace): Promise<Html> {
  const { files, total } = differences;
  if (total.files === 0) return emptyHtml('No file differs', emptyAdvice(place));
  const shown = files.filter(({ diff }) => diff.kind !== 'unread');
  return html`<div class="stack diffs">
${barHtml(differences, place)}${listHtml(differences, place, new Set(shown))}
${await filesHtml(shown, place)}${restHtml(differences, shown.length, place)}</div>`;
}

function emptyAdvice(place: DiffPlace): Html {
  if (place.look.whitespace === 'show-all') return html`Both sides have the same files.`;
  return html`Changes of blanks are hidden. <a href="${lookPath(place, { whitespace: 'show-all' })}">Show them</a>`;
}

async function filesHtml(files: readonly ShownFile[], place: DiffPlace): Promise<readonly Html[]> {
  const parts: Html[] = [];
  let left: number = WEB_LIMITS.diffPageLinesMax;
  let sinceTurn = 0;
  for (const file of files) {
    parts.push(fileHtml(file, place, { linesMax: left }));
    const lines = linesOf(file);
    if (lines <= left) left -= lines;
    sinceTurn += lines;
    if (sinceTurn < LINES_IN_ONE_GO) continue;
    await giveOthersATurn();
    sinceTurn = 0;
  }
  return parts;
}

/** How many files and lines differ, and how they are shown. */
function barHtml({ total, only }: Differences, place: DiffPlace): Html {
  const { look, textPath } = place;
  const choice = (style: 'unified' | 'split', words: string) =>
    html`<a class="button small" rel="nofollow" href="${lookPath(place, { style })}"${look.style === style ? html` aria-current="true"` : html``}>${words}</a>`;
  const hidesBlanks = look.whitespace !== 'show-all';
  const blanks = html`<a class="button small" rel="nofollow" href="${lookPath(place, { whitespace: hidesBlanks ? 'show-all' : 'ignore-all' })}">${hidesBlanks ? 'Show blanks' : 'Hide blanks'}</a>`;
  const all =
    only === undefined
      ? html``
      : html`<a class="button small" href="${lookPath(place, { only: undefined })}">All files</a>`;
  const text =
    textPath === undefined
      ? html``
      : html`<a class="button small" href="${textPath}" rel="nofollow">Diff</a>`;
  return html`<div class="row"><span><strong>${counted(total.files, 'changed file')}</strong> with <span class="added">${counted(total.additions, 'addition')}</span> and <span class="removed">${counted(total.deletions, 'deletion')}</span></span>
<span class="end row">${all}<span class="group">${choice('unified', 'Unified')}${choice('split', 'Split')}</span>${blanks}${text}</span></div>
`;
}

function listHtml(
  { files, total, only }: Differences,
  place: DiffPlace,
  shown: ReadonlySet<ShownFile>,
): Html {
  if (only !== undefined || total.files === 1) return html``;
  const hidden = total.files - files.length;
  const more = hidden > 0 ? html`<li class="quiet">and ${counted(hidden, 'more file')}</li>` : html``;
  const isOpen = total.files <= WEB_LIMITS.diffListOpenFilesMax;
  return html`<details class="box"${isOpen ? html` open` : html``}><summary class="title">Files</summary>
<ul class="rows dense">
${files.map((file) => fileListItem(file, place, shown.has(file)))}${more}</ul></details>`;
}

function restHtml({ total, only }: Differences, shown: number, { textPath }: DiffPlace): Html {
  const left = total.files - shown;
  if (only !== undefined || left <= 0) return html``;
  const rest =
    textPath === undefined ? html`` : html` <a href="${textPath}" rel="nofollow">Download all changes</a>`;
  return html`<p class="notice">The changes of ${counted(left, 'more file')} are not on this page: the list above leads to them.${rest}</p>
`;
}
