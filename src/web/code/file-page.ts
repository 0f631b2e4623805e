import type { Viewer } from '../../api/access/viewer.ts';
import { isFailure } from '../../base/core/failure.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { AddressedLocation } from '../../code/contents/model.ts';
import type { ContentsReader, Look } from '../../code/contents/read.ts';
import type { Commit } from '../../git/format/model.ts';
import type { Addresses } from '../../http/app.ts';
import type { Page } from '../../http/pages/page.ts';
import type { Markdown } from '../../tracker/markdown/service.ts';
import { encoded, filePath, refPath, repositoryPath } from '../addresses.ts';
import type { Highlighter } from '../highlighting/highlighter.ts';
import { WEB_LIMITS } from '../limits.ts';
import { shortIdHtml, subjectHtml } from '../parts/commits.ts';
import { icon } from '../parts/icons.ts';
import { counted, sizeText } from '../parts/numbers.ts';
import { repositoryHeader } from '../parts/repository-header.ts';
import { agoHtml } from '../parts/time.ts';
import { beginningOf } from '../parts/words.ts';
import { editPath } from './editing/parts.ts';
import { fileContent, type LookedFile } from './file-content.ts';
import { folderTable } from './folder-part.ts';
import { cloneMenu, pathCrumbs, refPicker } from './place-parts.ts';
import { readmePart } from './readme.ts';
import { mayChangeHere } from './rights.ts';

/** What the pages of files and folders use. */
export interface FilePageTools {
  readonly reading: ContentsReader;
  readonly highlighter: Highlighter;
  readonly markdown: Markdown;
  readonly addresses: Addresses;
}

/** The page of a file or a folder at one ref. @param showsSource whether to show Markdown as it is written */
export async function filePage(
  viewer: Viewer,
  location: AddressedLocation,
  look: Look,
  { showsSource, ...tools }: FilePageTools & { readonly showsSource: boolean },
): Promise<Page> {
  const { permitted, repository, path, ref } = location;
  const where = `${repository.owner.name}/${repository.name}`;
  const shown = path === '' ? where : `${path.slice(path.lastIndexOf('/') + 1)} at ${ref.name}`;
  const content =
    look.kind === 'folder'
      ? await folderPart(viewer, location, look.entries, tools)
      : await filePart(viewer, location, look, { showsSource, ...tools });
  return {
    title: path === '' ? `${where} at ${ref.name}` : `${path} · ${where}`,
    body: html`${repositoryHeader(permitted, 'code')}
<h1 class="sr-only">${shown}</h1>
<div class="stack">
<div class="row">${refPicker(location)}${pathCrumbs(location)}<span class="end row">${look.kind === 'folder' ? html`${folderActions(location)}${cloneMenu(location, tools.addresses)}` : html``}</span></div>
${content}</div>`,
  };
}

/** The entries of a folder below the last commit of their branch, and its README. */
export async function folderPart(
  viewer: Viewer,
  location: AddressedLocation,
  entries: Extract<Look, { kind: 'folder' }>['entries'],
  tools: FilePageTools,
): Promise<Html> {
  const commit = await location.snapshot.objects.readCommit(location.commit);
  return html`<div class="box"><div class="title">${commitLine(location, commit)}</div>
${await folderTable(location, entries, tools.reading)}</div>
${await readmePart(viewer, location, entries, tools)}`;
}

/** Returns the line that says which commit a page shows. */
function commitLine(location: AddressedLocation, commit: Commit): Html {
  const { repository } = location;
  const commits = html`<a class="nowrap" href="${refPath('commits', location, location.path)}">${icon('history')} History</a>`;
  return html`<div class="commit-line"><strong class="author">${beginningOf(commit.author.name, WEB_LIMITS.personNameCharsMax)}</strong><span class="subject">${subjectHtml(repository, commit)}</span>${shortIdHtml(repository, commit.oid)}<span class="quiet nowrap">${agoHtml(commit.committer.seconds * 1000)}</span>${commits}</div>`;
}

/** Links to find files in a folder, and to add files to it. */
export function folderActions(location: AddressedLocation): Html {
  const { repository, ref, path } = location;
  const find = html`<a class="button" data-key="t" href="${refPath('find', location, '')}">${icon('search')}Find file</a>`;
  if (!mayChangeHere(location)) return find;
  const at = { branch: ref.name, path };
  return html`${find}<details class="menu"><summary class="button">${icon('plus')}Add file</summary><div>
<a href="${editPath('_new', repository, at)}">${icon('file')} New file</a><a href="${editPath('_upload', repository, at)}">${icon('upload')} Upload files</a></div></details>`;
}

async function filePart(
  viewer: Viewer,
  location: AddressedLocation,
  file: LookedFile,
  { showsSource, ...tools }: FilePageTools & { readonly showsSource: boolean },
): Promise<Html> {
  const [commit, content] = await Promise.all([
    lastCommitOf(location, tools.reading),
    fileContent(viewer, location, file, { showsSource, ...tools }),
  ]);
  const line =
    commit === undefined
      ? html``
      : html`<div class="box"><div class="title">${commitLine(location, commit)}</div></div>`;
  const about = [
    ...(content.lines === undefined ? [] : [counted(content.lines, 'line')]),
    sizeText(file.sizeBytes),
  ].join(', ');
  const page = filePath('src', location, location.path);
  const toggle = showsSource
    ? html`<a class="button small" href="${page}">Rendered</a>`
    : html`<a class="button small" href="${page}?display=source">Source</a>`;
  return html`${line}<div class="box"><div class="title"><span class="quiet small number">${about}</span><span class="end row">${content.isRendered ? toggle : html``}${fileLinks(location)}</span></div>
${content.body}</div>`;
}

function fileLinks(location: AddressedLocation): Html {
  const { repository, commit, path } = location;
  const permanent = { ...location, ref: { kind: 'commit', name: commit, asked: commit } } as const;
  return html`<a class="button small" href="${filePath('raw', location, path)}">Raw</a><a class="button small" data-key="y" href="${filePath('src', permanent, path)}">Permalink</a><a class="button small" rel="nofollow" href="${repositoryPath(repository)}/blame/${location.ref.kind}/${encoded(location.ref.name)}/${encoded(path)}">Blame</a>${changeLinks(location)}`;
}

function changeLinks(location: AddressedLocation): Html {
  if (!mayChangeHere(location)) return html``;
  const { repository, ref, path } = location;
  const at = { branch: ref.name, path };
  return html`<a class="button small" href="${editPath('_edit', repository, at)}">${icon('pencil')}Edit</a><a class="button small danger" href="${editPath('_delete', repository, at)}" aria-label="Delete ${path}">${icon('trash')}</a>`;
}

/** @returns undefined if the history is too long to search */
async function lastCommitOf(
  location: AddressedLocation,
  reading: ContentsReader,
): Promise<Commit | undefined> {
  const { path } = location;
  const slash = path.lastIndexOf('/');
  const name = path.slice(slash + 1);
  try {
    const folder = { ...location, path: path.slice(0, Math.max(slash, 0)) };
    return (await reading.lastCommitsOf(folder, [name])).get(name);
  } catch (error) {
    if (!isFailure(error, 'busy')) throw error;
    return undefined;
  }
}
