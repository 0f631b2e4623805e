import { asWritten, type Html, html } from '../../../base/core/text/html.ts';
import type { AddressedLocation } from '../../../code/contents/model.ts';
import type { FoundLine, FoundLines } from '../../../git/interface/blame.ts';
import type { PermittedRepository } from '../../../hosting/repositories/model.ts';
import type { Page } from '../../../http/pages/page.ts';
import { filePath, repositoryPath } from '../../addresses.ts';
import { problemHtml } from '../../forms/form-parts.ts';
import { icon } from '../../parts/icons.ts';
import { emptyHtml } from '../../parts/lists.ts';
import { counted } from '../../parts/numbers.ts';
import { repositoryHeader } from '../../parts/repository-header.ts';

/** What a search in the code of a repository has found. */
export interface ShownSearch {
  readonly permitted: PermittedRepository;
  readonly location: AddressedLocation | undefined;
  /** as it was typed */
  readonly text: string;
  /** undefined without a text, and with a problem */
  readonly found: FoundLines | undefined;
  readonly problem: string | undefined;
}

/** The page of a search in the files of the default branch. */
export function searchPage({ permitted, location, text, found, problem }: ShownSearch): Page {
  const { repository } = permitted;
  const where = `${repository.owner.name}/${repository.name}`;
  return {
    title: text === '' ? `Search the code of ${where}` : `${text} · code of ${where}`,
    body: html`${repositoryHeader(permitted, 'code')}
<div class="stack">
<h1>Search the code</h1>
<form class="row" role="search" action="${repositoryPath(repository)}/search"><label class="grow"><span class="sr-only">Text to search for</span><input type="search" name="q" value="${text}" required maxlength="200" autocapitalize="none" spellcheck="false" placeholder="Text within one line"></label><button class="primary">${icon('search')}Search</button></form>
${problemHtml(problem)}
${results(location, text, found)}</div>`,
  };
}

function results(location: AddressedLocation | undefined, text: string, found: FoundLines | undefined): Html {
  if (location === undefined) return emptyHtml('This repository has no code yet');
  if (found === undefined)
    return html`<p class="quiet">Finds lines of the branch ${location.ref.name}, in any case of letters.</p>`;
  if (found.lines.length === 0)
    return emptyHtml(
      `No line of ${location.ref.name} has this text`,
      found.isCut
        ? 'The search was ended after some seconds: there may be lines that it has not reached.'
        : '',
    );
  const files = Map.groupBy(found.lines, ({ path }) => path);
  const more = found.isCut
    ? html`<p class="notice">The search ended early, because it found much or took long. Search for a longer text to see the rest.</p>`
    : html``;
  return html`<p class="quiet">${counted(found.lines.length, 'line')} in ${counted(files.size, 'file')}</p>
${[...files].map(([path, lines]) => fileResults(location, path, { lines, text }))}${more}`;
}

function fileResults(
  location: AddressedLocation,
  path: string,
  { lines, text }: { readonly lines: readonly FoundLine[]; readonly text: string },
): Html {
  const page = filePath('src', location, path);
  const source = /\.(?:md|markdown|mdown|mkd|csv|tsv)$/i.test(path) ? `${page}?display=source` : page;
  const rows = lines.map(
    ({ number, text: line }) =>
      html`<tr><td class="n"><a href="${source}#L${number}">${number}</a></td><td class="c">${marked(line, text)}</td></tr>
`,
  );
  return html`<section class="box" aria-label="${path}"><div class="title">${icon('file')}<a href="${page}">${path}</a><span class="end count">${lines.length}</span></div>
<div class="code wrapped"><table><tbody>
${rows}</tbody></table></div></section>
`;
}

/** Marks each place of a text in a line. */
function marked(line: string, text: string): Html {
  const [lower, wanted] = [line.toLowerCase(), text.toLowerCase()];
  // Few letters change their length with their case. Places would be wrong then.
  if (wanted === '' || lower.length !== line.length) return asWritten(line);
  const parts: string[] = [];
  let at = 0;
  for (let next = lower.indexOf(wanted); next !== -1; next = lower.indexOf(wanted, at)) {
    const end = next + wanted.length;
    parts.push(asWritten(line.slice(at, next)).html, `<mark>${asWritten(line.slice(next, end)).html}</mark>`);
    at = end;
  }
  parts.push(asWritten(line.slice(at)).html);
  return { html: parts.join('') };
}
