import type { Viewer } from '../../api/access/viewer.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { AddressedLocation } from '../../code/contents/model.ts';
import type { Look } from '../../code/contents/read.ts';
import { parseLfsPointer } from '../../hosting/lfs/pointer.ts';
import type { Markdown } from '../../tracker/markdown/service.ts';
import { filePath } from '../addresses.ts';
import type { Highlighter } from '../highlighting/highlighter.ts';
import { emptyHtml } from '../parts/lists.ts';
import { markdownHtml } from '../parts/markdown.ts';
import { sizeText } from '../parts/numbers.ts';
import { csvTable } from './csv-table.ts';

/** A file whose bytes were read, as far as a page shows them. */
export type LookedFile = Look & { readonly kind: 'file' };

interface Tools {
  readonly highlighter: Highlighter;
  readonly markdown: Markdown;
}

/** What a page shows of a file. */
export interface FileContent {
  readonly body: Html;
  /** number of lines of a text; undefined for other files */
  readonly lines?: number;
  /** whether the file has a rendered form, besides its source */
  readonly isRendered: boolean;
}

const PICTURE = /\.(?:png|jpe?g|gif|webp|avif|bmp|ico|svg)$/i;
const VIDEO = /\.(?:mp4|webm|ogv)$/i;
const SOUND = /\.(?:mp3|ogg|opus|wav|flac|m4a)$/i;
const MARKDOWN = /\.(?:md|markdown|mdown|mkd|livemd)$/i;
const TABLE = /\.(?:csv|tsv)$/i;

/** @param options.showsSource whether to show a text that has a rendered form as it is written */
export async function fileContent(
  viewer: Viewer,
  location: AddressedLocation,
  file: LookedFile,
  { showsSource, ...tools }: { readonly showsSource: boolean } & Tools,
): Promise<FileContent> {
  const { bytes } = file;
  const pointer = bytes === null ? undefined : parseLfsPointer(bytes);
  const shown = pointer === undefined ? 'raw' : 'media';
  const text = bytes === null || pointer !== undefined ? undefined : textOf(bytes);
  const hasMedia = PICTURE.test(location.path) || VIDEO.test(location.path) || SOUND.test(location.path);
  if (hasMedia && !(showsSource && text !== undefined))
    return { body: mediaPart(location, shown), isRendered: text !== undefined };
  if (text === undefined)
    return { body: downloadPart(location, file, pointer?.sizeBytes), isRendered: false };
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  if (text === '') return { body: emptyHtml('This file is empty'), lines: 0, isRendered: false };
  if (!showsSource && MARKDOWN.test(location.path))
    return { body: await renderedPart(viewer, location, text, tools), lines, isRendered: true };
  if (!showsSource && TABLE.test(location.path)) {
    const table = csvTable(text, /\.tsv$/i.test(location.path) ? '\t' : ',');
    if (table !== undefined) return { body: table, lines, isRendered: true };
  }
  const isRendered = MARKDOWN.test(location.path) || TABLE.test(location.path);
  return { body: await codePart(location, file, text, tools.highlighter), lines, isRendered };
}

/** @returns undefined if the bytes are not text */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function mediaPart(location: AddressedLocation, kind: 'raw' | 'media'): Html {
  const address = filePath('raw', location, location.path).replace('/raw/', `/${kind}/`);
  const name = location.path.slice(location.path.lastIndexOf('/') + 1);
  if (VIDEO.test(name))
    return html`<div class="content media"><video controls preload="metadata" src="${address}"></video></div>`;
  if (SOUND.test(name))
    return html`<div class="content media"><audio controls preload="metadata" src="${address}"></audio></div>`;
  return html`<div class="content media"><img src="${address}" alt="${name}"></div>`;
}

/** @param storedBytes of a large file that git-lfs keeps */
function downloadPart(
  location: AddressedLocation,
  { sizeBytes }: LookedFile,
  storedBytes: number | undefined,
): Html {
  const size = sizeText(storedBytes ?? sizeBytes);
  const raw = filePath('raw', location, location.path);
  const address = storedBytes === undefined ? raw : raw.replace('/raw/', '/media/');
  const what =
    storedBytes === undefined
      ? 'This file is too large to show, or it is not text'
      : 'git-lfs keeps this file';
  return emptyHtml(what, html`<a href="${address}">Download it</a> (${size})`);
}

async function renderedPart(
  viewer: Viewer,
  location: AddressedLocation,
  text: string,
  { markdown }: Tools,
): Promise<Html> {
  return html`<div class="content">${await markdownHtml(markdown, viewer, renderRequestOf(location, text))}</div>`;
}

/** Returns how to render a file, whose relative links lead to files beside it. */
export function renderRequestOf(location: AddressedLocation, text: string) {
  const { path } = location;
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  return { text, mode: 'file', context: filePath('src', location, folder), filePath: path } as const;
}

async function codePart(
  location: AddressedLocation,
  { oid }: LookedFile,
  text: string,
  highlighter: Highlighter,
): Promise<Html> {
  const { lines, problem } = await highlighter.color(text, { oid, name: location.path });
  const shown = text.endsWith('\n') ? lines.slice(0, -1) : lines;
  const blocks: Html[] = [];
  for (let first = 0; first < shown.length; first += BLOCK_LINES)
    blocks.push(blockHtml(shown.slice(first, first + BLOCK_LINES), first));
  const note =
    problem === undefined
      ? html``
      : html`<p class="quiet small content">${problem === 'busy' ? 'Without colors: the server is busy.' : 'Without colors: the file is too long.'}</p>`;
  return html`${note}<div class="code" tabindex="0" role="region" aria-label="Content of the file">
${blocks}</div>`;
}

/** Browsers lay out the lines of a block when it comes into view. */
const BLOCK_LINES = 250;

/** @param first number of lines before the block */
function blockHtml(lines: readonly Html[], first: number): Html {
  const rows = lines.map(({ html: line }, index) => {
    const number = first + index + 1;
    return `<tr id="L${number}"><td class="n"><a href="#L${number}">${number}</a></td><td class="c">${line}</td></tr>\n`;
  });
  return { html: `<div class="lines"><table><tbody>${rows.join('')}</tbody></table></div>\n` };
}
