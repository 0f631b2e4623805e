import type { FastifyReply, FastifyRequest } from 'fastify';
import { asWritten, type Html, html } from '../../base/core/text/html.ts';
import type { Addresses } from '../../http/app.ts';
import { staticFile } from '../../http/pages/static-file.ts';
import { NOTE_LIMITS } from '../../notes/notebooks/limits.ts';
import { formHtml, problemHtml, signedIn } from '../forms/form-parts.ts';
import { NOTES_PATH } from './parts.ts';

/** Saves a note while its writer types, and keeps what could not be sent in the browser. */
export const NOTES_SCRIPT = staticFile(new URL('./notes.js', import.meta.url));

export const SCRIPT_ELEMENT = html`<script type="module" src="${NOTES_SCRIPT.path}"></script>
`;

/** What a form of a note has. */
export interface Draft {
  readonly title: string;
  readonly category: string;
  readonly content: string;
  readonly isFavorite: boolean;
}

interface EditorState {
  /** undefined: a new note */
  readonly id: number | undefined;
  readonly draft: Draft;
  readonly categories: readonly string[];
  readonly problem?: string | undefined;
  /** The last save met the edit of another device. */
  readonly isMerged: boolean;
}

/** The form that writes a note. Without scripts, a button saves it. */
export function editorHtml(
  request: FastifyRequest,
  reply: FastifyReply,
  { id, draft, categories, problem, isMerged }: EditorState,
  addresses: Addresses,
): Html {
  const { title, category, content, isFavorite } = draft;
  const merged = isMerged
    ? html`<p class="notice" role="status">Another device has changed this note, too. Both edits are in the text now; the <a href="${NOTES_PATH}/${id ?? ''}/history">history</a> has each of them.</p>`
    : html``;
  const fields = html`<label><span class="sr-only">Title</span><input name="title" class="note-title" value="${title}" placeholder="Title" maxlength="${NOTE_LIMITS.noteTitleCharsMax}" autocomplete="off"></label>
<div class="row note-about"><label class="grow"><span class="sr-only">Category</span><input name="category" value="${category}" placeholder="Category" list="note-categories" maxlength="500" autocomplete="off"></label>
<datalist id="note-categories">${categories.filter((each) => each !== '').map((each) => html`<option value="${each}"></option>`)}</datalist>
<label class="choice nowrap"><input type="checkbox" name="favorite" value="1"${isFavorite ? html` checked` : html``}> Favorite</label></div>
<label><span class="sr-only">Text</span><textarea name="content" class="note-text" rows="20" spellcheck="true" placeholder="Write in Markdown">
${asWritten(content)}</textarea></label>
<p class="quiet small" role="status" data-note-state></p>`;
  const form = formHtml(
    request,
    reply,
    { action: id === undefined ? NOTES_PATH : `${NOTES_PATH}/${id}`, fields, button: 'Save' },
    addresses,
  );
  return html`<p><a class="note-back button small" href="${NOTES_PATH}">All notes</a></p>
${merged}${problemHtml(problem)}
<div class="note-editor" data-note="${id ?? ''}" data-account="${signedIn(request).accountId}">${form}</div>`;
}
