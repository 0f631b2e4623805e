import { isFailure } from '../../../base/core/failure.ts';
import { type Html, html } from '../../../base/core/text/html.ts';
import type { ContentsInspector } from '../../../code/contents/inspect.ts';
import type { AddressedLocation } from '../../../code/contents/model.ts';
import type { Look } from '../../../code/contents/read.ts';
import type { BlamedLines } from '../../../git/interface/blame.ts';
import type { Page } from '../../../http/pages/page.ts';
import { commitPath, encoded, filePath, refPath, repositoryPath } from '../../addresses.ts';
import type { Highlighter } from '../../highlighting/highlighter.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { emptyHtml } from '../../parts/lists.ts';
import { counted, sizeText } from '../../parts/numbers.ts';
import { repositoryHeader } from '../../parts/repository-header.ts';
import { agoHtml } from '../../parts/time.ts';
import { beginningOf } from '../../parts/words.ts';
import { pathCrumbs, refPicker } from '../place-parts.ts';

interface Tools {
  readonly inspector: ContentsInspector;
  readonly highlighter: Highlighter;
}

type File = Look & { readonly kind: 'file' };

/** The page of a file that shows which commit brought each line. */
export async function blamePage(location: AddressedLocation, file: File, tools: Tools): Promise<Page> {
  const { permitted, repository, path } = location;
  const source = filePath('src', location, path);
  return {
    title: `Blame of ${path} · ${repository.owner.name}/${repository.name}`,
    body: html`${repositoryHeader(permitted, 'code')}
<h1 class="sr-only">Who changed the lines of ${path}</h1>
<div class="stack">
<div class="row">${refPicker(location, (at) => refPath('blame', at, path))}${pathCrumbs(location)}<span class="end row"><a class="button small" href="${source}">File</a><a class="button small" href="${refPath('commits', location, path)}">History</a></span></div>
<div class="box">${await content(location, file, tools)}</div></div>`,
  };
}

async function content(
  location: AddressedLocation,
  { bytes, oid, sizeBytes }: File,
  { inspector, highlighter }: Tools,
): Promise<Html> {
  if (bytes === null || bytes.includes(0))
    return emptyHtml('This file is too large to show line by line, or it is not text', sizeText(sizeBytes));
  if (bytes.length === 0) return emptyHtml('This file is empty');
  const text = Buffer.from(bytes).toString();
  try {
    const [groups, { lines }] = await Promise.all([
      inspector.blame(location),
      highlighter.color(text, { oid, name: location.path }),
    ]);
    const shown = text.endsWith('\n') ? lines.slice(0, -1) : lines;
    return html`<div class="title"><span class="quiet small number">${counted(shown.length, 'line')}</span></div>
${linesTable(location, groups, shown)}`;
  } catch (error) {
    if (!isFailure(error, 'busy', 'invalid')) throw error;
    return emptyHtml('The lines of this file cannot be searched now', `${error.failure.what}.`);
  }
}

function linesTable(
  location: AddressedLocation,
  groups: readonly BlamedLines[],
  lines: readonly Html[],
): Html {
  const rows: string[] = [];
  for (const [index, group] of groups.entries()) {
    const about = aboutHtml(location, group).html;
    const look = index % 2 === 0 ? '' : ' odd';
    for (let number = group.start; number < group.start + group.count; number += 1) {
      const isFirst = number === group.start;
      const line = lines[number - 1]?.html ?? '';
      rows.push(
        `<tr id="L${number}"${isFirst ? ' class="first"' : ''}><td class="who${look}">${isFirst ? about : ''}</td><td class="n"><a href="#L${number}">${number}</a></td><td class="c">${line}</td></tr>\n`,
      );
    }
  }
  return html`<div class="code blame" tabindex="0" role="region" aria-label="Lines of the file"><table>
<tbody>
${{ html: rows.join('') }}</tbody></table></div>`;
}

function aboutHtml({ repository, path }: AddressedLocation, { commit }: BlamedLines): Html {
  const { oid, seconds, previous } = commit;
  const subject = beginningOf(commit.subject, WEB_LIMITS.shownSubjectCharsMax);
  const authorName = beginningOf(commit.authorName, WEB_LIMITS.personNameCharsMax);
  const before =
    previous === null
      ? html``
      : html` <a rel="nofollow" href="${repositoryPath(repository)}/blame/commit/${previous}/${encoded(path)}" title="Blame before this change" aria-label="Blame before this change">↰</a>`;
  return html`<div><a class="subject" href="${commitPath(repository, oid)}" title="${authorName}: ${subject}">${subject}</a><span class="quiet nowrap">${agoHtml(seconds * 1000)}${before}</span></div>`;
}
