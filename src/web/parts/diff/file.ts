import { createHash } from 'node:crypto';
import { type Html, html } from '../../../base/core/text/html.ts';
import type { ShownFile } from '../../../code/commits/differences.ts';
import type { Hunk } from '../../../git/format/diffs/model.ts';
import type { FileStatus } from '../../../git/interface/file-diffs.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { icon } from '../icons.ts';
import { counted } from '../numbers.ts';
import { lookPath } from './look.ts';
import type { DiffPlace } from './model.ts';
import { plainRows, type RowContext, splitRows, unifiedRows } from './rows.ts';

const ANCHOR_DIGITS = 8;
const LINK = '120000';
const SUBMODULE = '160000';

/** Returns the name of the place of a file in a page. */
export function fileAnchor(path: string): string {
  return `d${createHash('sha1').update(path).digest('hex').slice(0, ANCHOR_DIGITS)}`;
}

export const STATUS_WORDS: Readonly<Record<FileStatus, string>> = {
  added: 'added',
  modified: 'changed',
  removed: 'deleted',
  renamed: 'renamed',
};

/** Returns how many lines were added and removed. */
export function lineCounts({ additions, deletions }: Pick<ShownFile, 'additions' | 'deletions'>): Html {
  return html`<span class="nowrap number"><span class="added">+${additions}</span> <span class="removed">−${deletions}</span></span>`;
}

/** Returns the number of lines that a file takes in a page. */
export function linesOf({ diff }: ShownFile): number {
  return diff.kind === 'text' ? diff.hunks.reduce((sum, { lines }) => sum + lines.length, 0) : 0;
}

/**
 * Returns a file with its differences.
 *
 * @param shown.linesMax lines for which the page has room
 */
export function fileHtml(
  file: ShownFile,
  place: DiffPlace,
  { linesMax }: { readonly linesMax: number },
): Html {
  const { look, slots = {} } = place;
  const anchor = fileAnchor(file.path);
  const lines = linesOf(file);
  const isFolded = look.only === undefined && lines > WEB_LIMITS.diffFileOpenLinesMax;
  const folded = isFolded ? html`<span class="quiet small">${counted(lines, 'line')}, folded</span>` : html``;
  // What opens and closes the file can contain no links, so they lie over its title.
  return html`<div class="diff-frame"><div class="diff-links row">${slots.inTitle?.(file) ?? html``}${fileLink(file, place)}</div>
<details class="box diff-file" id="${anchor}"${isFolded ? html`` : html` open`}>
<summary class="title"><span class="name">${nameOf(file)}</span>${statusBadge(file)}${folded}<span class="end">${lineCounts(file)}</span></summary>
${slots.belowTitle?.(file) ?? html``}${contentHtml(file, place, { context: { file, anchor, slots }, linesMax })}</details></div>
`;
}

function nameOf({ path, previousPath }: ShownFile): Html {
  return previousPath === null ? html`${path}` : html`${previousPath} <span aria-label="to">→</span> ${path}`;
}

function statusBadge({ status, before, after }: ShownFile): Html {
  const mode = after?.mode ?? before?.mode;
  const words = [
    ...(status === 'modified' ? [] : [STATUS_WORDS[status]]),
    ...(mode === LINK ? ['symbolic link'] : mode === SUBMODULE ? ['submodule'] : []),
    ...(before === null || after === null || before.mode === after.mode
      ? []
      : [`mode ${before.mode} to ${after.mode}`]),
  ];
  return html`${words.map((word) => html`<span class="badge">${word}</span>`)}`;
}

function fileLink(file: ShownFile, place: DiffPlace): Html {
  const { path, status, before, after } = file;
  if ((after ?? before)?.mode === SUBMODULE) return html``;
  const side = status === 'removed' ? 'old' : 'new';
  return html`<a class="button small" href="${place.fileAt(side, path, 'src')}">View</a>`;
}

function contentHtml(
  file: ShownFile,
  place: DiffPlace,
  { context, linesMax }: { readonly context: RowContext; readonly linesMax: number },
): Html {
  const { diff } = file;
  if (diff.kind !== 'text') return wordsHtml(file, place);
  if (diff.hunks.length === 0) return html`<p class="content quiet">${withoutLines(file)}</p>`;
  const room = place.look.only === undefined ? linesMax : WEB_LIMITS.diffOneFileLinesMax;
  const lines = linesOf(file);
  if (lines > room && place.look.only === undefined) return unreadHtml(file, place);
  return html`<div class="code diff ${place.look.style}" tabindex="0" role="region" aria-label="Changes of ${file.path}"><table>${place.look.style === 'split' ? SPLIT_WIDTHS : html``}
<tbody>
${hunkRows(firstLines(diff.hunks, room), place, context)}</tbody></table></div>
${lines > room ? html`<p class="content quiet">${counted(lines - room, 'more line')} ${restLink(place)}</p>` : html``}`;
}

const SPLIT_WIDTHS = html`<colgroup><col class="n"><col class="sign"><col><col class="n"><col class="sign"><col></colgroup>`;

function hunkRows(hunks: readonly Hunk[], { look }: DiffPlace, context: RowContext): readonly Html[] {
  return hunks.map((hunk) =>
    look.style === 'split' ? splitRows(hunk, context) : unifiedRows(hunk, context),
  );
}

function firstLines(hunks: readonly Hunk[], max: number): readonly Hunk[] {
  const shown: Hunk[] = [];
  let left = max;
  for (const hunk of hunks) {
    if (left <= 0) break;
    shown.push(hunk.lines.length <= left ? hunk : { ...hunk, lines: hunk.lines.slice(0, left) });
    left -= hunk.lines.length;
  }
  return shown;
}

function withoutLines({ status, before, after }: ShownFile): string {
  if (status === 'renamed') return 'Renamed without changes.';
  if (status === 'added') return 'An empty file was added.';
  if (status === 'removed') return 'An empty file was deleted.';
  return before?.mode === after?.mode ? 'No line differs.' : 'Only the mode of the file was changed.';
}

function wordsHtml(file: ShownFile, place: DiffPlace): Html {
  switch (file.diff.kind) {
    case 'binary':
      return html`<p class="content quiet">This file is binary, so its lines are not compared.</p>${picturesHtml(file, place)}`;
    case 'too_large':
      return place.look.only === undefined
        ? unreadHtml(file, place)
        : html`<p class="content quiet">The changes of this file are too large to show. ${restLink(place)}</p>`;
    default:
      return unreadHtml(file, place);
  }
}

function unreadHtml({ path }: ShownFile, place: DiffPlace): Html {
  return html`<p class="content quiet">This page has no room for the changes of this file. <a href="${lookPath(place, { only: path })}">Show them</a></p>`;
}

function restLink({ textPath }: DiffPlace): Html {
  return textPath === undefined ? html`` : html`<a href="${textPath}">Download all changes</a>`;
}

const PICTURE = /\.(?:png|jpe?g|gif|webp|avif|bmp|ico)$/i;

/** The picture before a change, and after it. */
function picturesHtml({ path, previousPath, before, after }: ShownFile, place: DiffPlace): Html {
  if (!PICTURE.test(path)) return html``;
  const old =
    before === null
      ? html``
      : html`<figure><img src="${place.fileAt('old', previousPath ?? path, 'raw')}" alt="The picture before" loading="lazy"><figcaption class="quiet small">Before</figcaption></figure>`;
  const now =
    after === null
      ? html``
      : html`<figure><img src="${place.fileAt('new', path, 'raw')}" alt="The picture after" loading="lazy"><figcaption class="quiet small">After</figcaption></figure>`;
  return html`<div class="content row pictures">${old}${now}</div>`;
}

/** Returns a file in the list of files, which leads to its place in the page. */
export function fileListItem(file: ShownFile, place: DiffPlace, isShown: boolean): Html {
  const { path, status } = file;
  const target = isShown ? `#${fileAnchor(path)}` : lookPath(place, { only: path });
  const look = status === 'added' ? 'open' : status === 'removed' ? 'closed' : '';
  return html`<li>${icon(status === 'added' ? 'plus' : status === 'removed' ? 'trash' : 'file', look)}<span class="sr-only">${STATUS_WORDS[status]} </span><a class="grow" href="${target}">${nameOf(file)}</a><span class="end">${lineCounts(file)}</span></li>
`;
}

/** Returns changes of one file, without anything about the file. */
export function plainHunksHtml(hunks: readonly Hunk[], words: string): Html {
  const rows = hunks.map((hunk) => plainRows(hunk));
  return html`<div class="code diff unified" tabindex="0" role="region" aria-label="${words}"><table><tbody>
${rows}</tbody></table></div>`;
}
