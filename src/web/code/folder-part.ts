import { isFailure } from '../../base/core/failure.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { ContentsLocation } from '../../code/contents/model.ts';
import type { ContentsReader } from '../../code/contents/read.ts';
import type { Commit, TreeEntry } from '../../git/format/model.ts';
import { filePath } from '../addresses.ts';
import { WEB_LIMITS } from '../limits.ts';
import { subjectHtml } from '../parts/commits.ts';
import { type IconName, icon } from '../parts/icons.ts';
import { counted } from '../parts/numbers.ts';
import { agoHtml } from '../parts/time.ts';

const FOLDER = '040000';
const SUBMODULE = '160000';

/** Returns the entries of a folder, folders first, with the commits that last changed them. */
export async function folderTable(
  location: ContentsLocation,
  entries: readonly TreeEntry[],
  reading: ContentsReader,
): Promise<Html> {
  const sorted = [...entries.filter(isFolder), ...entries.filter((entry) => !isFolder(entry))];
  const shown = sorted.slice(0, WEB_LIMITS.pageEntriesMax);
  const commits = await lastCommits(reading, location, shown);
  const hidden = sorted.length - shown.length;
  return html`<table class="list files"><colgroup><col class="name"><col class="commit"><col class="age"></colgroup>
<thead class="sr-only"><tr><th scope="col">Name</th><th scope="col">Last commit</th><th scope="col">Changed</th></tr></thead>
<tbody>
${parentRow(location)}${shown.map((entry) => entryRow(location, entry, commits.get(entry.name)))}</tbody></table>
${hidden > 0 ? html`<p class="empty">and ${counted(hidden, 'more entry', 'more entries')}, which git and the API list</p>` : html``}`;
}

function isFolder({ mode }: TreeEntry): boolean {
  return mode === FOLDER || mode === SUBMODULE;
}

/** @returns no commits if the history is too long to search: the page then shows only the names */
async function lastCommits(
  reading: ContentsReader,
  location: ContentsLocation,
  entries: readonly TreeEntry[],
): Promise<ReadonlyMap<string, Commit>> {
  try {
    return await reading.lastCommitsOf(
      location,
      entries.map(({ name }) => name),
    );
  } catch (error) {
    if (!isFailure(error, 'busy')) throw error;
    return new Map();
  }
}

function parentRow(location: ContentsLocation): Html {
  const { path } = location;
  if (path === '') return html``;
  const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  return html`<tr><td colspan="3"><a href="${filePath('src', location, parent)}" aria-label="Parent folder">..</a></td></tr>
`;
}

function entryRow(location: ContentsLocation, { mode, name }: TreeEntry, commit: Commit | undefined): Html {
  const path = location.path === '' ? name : `${location.path}/${name}`;
  const kind: IconName = mode === FOLDER ? 'folder' : mode === SUBMODULE ? 'repository' : 'file';
  const words =
    mode === SUBMODULE ? html`${name}` : html`<a href="${filePath('src', location, path)}">${name}</a>`;
  const changed =
    commit === undefined
      ? html`<td></td><td></td>`
      : html`<td class="quiet">${subjectHtml(location.repository, commit)}</td><td class="end quiet">${agoHtml(commit.committer.seconds * 1000)}</td>`;
  return html`<tr><td>${icon(kind)} ${words}</td>${changed}</tr>
`;
}
