import type { Viewer } from '../../api/access/viewer.ts';
import { asWritten, type Html, html } from '../../base/core/text/html.ts';
import type { AddressedLocation } from '../../code/contents/model.ts';
import type { TreeEntry } from '../../git/format/model.ts';
import type { Markdown } from '../../tracker/markdown/service.ts';
import { filePath } from '../addresses.ts';
import { WEB_LIMITS } from '../limits.ts';
import { icon } from '../parts/icons.ts';
import { markdownHtml } from '../parts/markdown.ts';
import { renderRequestOf } from './file-content.ts';

/** Names of the file that a folder shows, the best first. */
const NAMES = [
  /^readme\.md$/i,
  /^readme\.(?:markdown|mdown|mkd)$/i,
  /^readme$/i,
  /^readme\.txt$/i,
  /^readme\.[\w-]{2,8}\.md$/i,
];

/** Returns the text that explains a folder; nothing if it has none, or a large one. */
export async function readmePart(
  viewer: Viewer,
  location: AddressedLocation,
  entries: readonly TreeEntry[],
  { markdown }: { readonly markdown: Markdown },
): Promise<Html> {
  const entry = NAMES.map((name) => entries.find((each) => isFile(each) && name.test(each.name))).find(
    (each) => each !== undefined,
  );
  if (entry === undefined) return html``;
  const { objects } = location.snapshot;
  const { sizeBytes = 0 } = (await objects.info(entry.oid)) ?? {};
  if (sizeBytes > WEB_LIMITS.readmeBytesMax) return html``;
  const bytes = await objects.readBlob(entry.oid, { blobBytesMax: WEB_LIMITS.readmeBytesMax });
  const text = Buffer.from(bytes).toString();
  const path = location.path === '' ? entry.name : `${location.path}/${entry.name}`;
  const content = /\.(?:md|markdown|mdown|mkd)$/i.test(entry.name)
    ? await markdownHtml(markdown, viewer, renderRequestOf({ ...location, path }, text))
    : html`<pre>${asWritten(text)}</pre>`;
  return html`<section class="box" aria-label="${entry.name}"><div class="title">${icon('book')}<a href="${filePath('src', location, path)}">${entry.name}</a></div>
<div class="content">${content}</div></section>`;
}

function isFile({ mode }: TreeEntry): boolean {
  return mode === '100644' || mode === '100755';
}
