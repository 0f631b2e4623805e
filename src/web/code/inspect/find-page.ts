import { type Html, html } from '../../../base/core/text/html.ts';
import type { AddressedLocation } from '../../../code/contents/model.ts';
import type { FoundFiles } from '../../../code/git-data/file-finder.ts';
import type { Page } from '../../../http/pages/page.ts';
import { staticFile } from '../../../http/pages/static-file.ts';
import { filePath, refPath } from '../../addresses.ts';
import { icon } from '../../parts/icons.ts';
import { emptyHtml } from '../../parts/lists.ts';
import { counted } from '../../parts/numbers.ts';
import { repositoryHeader } from '../../parts/repository-header.ts';
import { refPicker } from '../place-parts.ts';

/** Sends the search while someone types. */
export const FINDER_SCRIPT = staticFile(new URL('./finder.js', import.meta.url));

/** The page that finds files by parts of their paths. */
export function findPage(location: AddressedLocation, text: string, found: FoundFiles): Page {
  const { permitted, repository, ref } = location;
  const path = refPath('find', location, '');
  return {
    title: `Find a file · ${repository.owner.name}/${repository.name}`,
    hasScript: true,
    head: html`<script type="module" src="${FINDER_SCRIPT.path}"></script>
`,
    body: html`${repositoryHeader(permitted, 'code')}
<div class="stack">
<h1>Find a file</h1>
<div class="row">${refPicker(location, (at) => refPath('find', at, ''))}<form class="row grow" role="search" action="${path}"><label class="grow"><span class="sr-only">Part of the path of a file in ${ref.name}</span><input type="search" name="q" value="${text}" autofocus maxlength="200" autocapitalize="none" autocomplete="off" spellcheck="false" placeholder="Part of a path" data-finder></label><button>${icon('search')}Find</button></form></div>
<div id="found" aria-live="polite">
${results(location, text, found)}</div></div>`,
  };
}

function results(location: AddressedLocation, text: string, { paths, total, isCut }: FoundFiles): Html {
  if (total === 0)
    return emptyHtml(text === '' ? 'There are no files' : 'No path has these characters in this order');
  const more = total - paths.length;
  const rest = more > 0 ? html`<li class="quiet">and ${counted(more, 'more file')}</li>` : html``;
  const cut = isCut
    ? html`<li class="quiet">This branch has too many files to search all of them.</li>`
    : html``;
  return html`<div class="box"><ul class="rows dense">
${paths.map((path) => html`<li>${icon('file')}<a class="grow" href="${filePath('src', location, path)}">${path}</a></li>\n`)}${rest}${cut}</ul></div>`;
}
