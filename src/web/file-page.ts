import { asWritten, type Html, html } from '../base/core/text/html.ts';
import type { ContentsLocation } from '../code/contents/model.ts';
import type { Look } from '../code/contents/read.ts';
import type { TreeEntry } from '../git/format/model.ts';
import { filePath } from './addresses.ts';
import { WEB_LIMITS } from './limits.ts';
import { breadcrumbs } from './repository-page.ts';

/** The page of a file or a folder at one ref. */
export function filePage(location: ContentsLocation, look: Look): { title: string; body: Html } {
  const { repository, path, ref } = location;
  const shown = path === '' ? '/' : path;
  const title = `${shown} · ${repository.owner.name}/${repository.name}`;
  const body = html`${breadcrumbs(repository)}
<h1>${shown}</h1>
<p>${ref.kind} ${ref.name}</p>
${look.kind === 'folder' ? folderList(location, look.entries) : fileText(location, look)}`;
  return { title, body };
}

function folderList(location: ContentsLocation, entries: readonly TreeEntry[]): Html {
  const shown = entries.slice(0, WEB_LIMITS.pageEntriesMax).map((entry) => listItem(location, entry));
  const hidden = entries.length - shown.length;
  return html`<ul>
${shown}</ul>
${hidden > 0 ? html`<p>and ${hidden} more</p>` : html``}`;
}

function listItem(location: ContentsLocation, { mode, name }: TreeEntry): Html {
  // A submodule is a commit of another repository.
  if (mode === '160000') return html`<li>${name}</li>\n`;
  const path = location.path === '' ? name : `${location.path}/${name}`;
  return html`<li><a href="${filePath('src', location, path)}">${name}${mode === '040000' ? '/' : ''}</a></li>\n`;
}

function fileText(location: ContentsLocation, { bytes, sizeBytes }: Look & { kind: 'file' }): Html {
  const raw = html`<p><a href="${filePath('raw', location, location.path)}">Raw file</a>, ${sizeBytes} bytes</p>`;
  const text = bytes === null ? undefined : textOf(bytes);
  return text === undefined ? raw : html`${raw}\n<pre>${asWritten(text)}</pre>`;
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
