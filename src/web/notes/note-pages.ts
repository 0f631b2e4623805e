import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { isFailure } from '../../base/core/failure.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { sendPage } from '../../http/pages/page.ts';
import { NOTE } from '../../notes/notebooks/actions.ts';
import type { NoteHistory } from '../../notes/notebooks/history/service.ts';
import { NOTE_LIMITS } from '../../notes/notebooks/limits.ts';
import type { Note } from '../../notes/notebooks/model.ts';
import { noteIdOf, signedIn } from '../../notes/notebooks/requests.ts';
import type { NoteSearch } from '../../notes/notebooks/search/service.ts';
import type { Notes } from '../../notes/notebooks/service.ts';
import { noteVersion } from '../../notes/notebooks/versions.ts';
import type { Markdown } from '../../tracker/markdown/service.ts';
import { formHtml } from '../forms/form-parts.ts';
import { problemOf } from '../forms/problems.ts';
import { emptyHtml } from '../parts/lists.ts';
import { markdownHtml } from '../parts/markdown.ts';
import { type Draft, editorHtml, SCRIPT_ELEMENT } from './editor.ts';
import { type ListChoice, shownList } from './list.ts';
import { NOTES_PATH, panes } from './parts.ts';

export interface NotePageTools {
  readonly notes: Notes;
  readonly noteSearch: NoteSearch;
  readonly noteHistory: NoteHistory;
  readonly markdown: Markdown;
  readonly addresses: Addresses;
}

const ListQuery = Type.Object({
  category: Type.Optional(Type.String()),
  q: Type.Optional(Type.String({ maxLength: 1000 })),
  page: Type.Optional(Type.String()),
});
const NoteQuery = Type.Object({ view: Type.Optional(Type.String()), merged: Type.Optional(Type.String()) });
const ofNote = { params: Type.Object({ id: Type.String() }) };
const read = { action: NOTE.read };
const write = { action: NOTE.write, isForm: true } as const;
const bodyLimit = NOTE_LIMITS.noteBodyBytesMax;

/** Registers the pages on which people read and write their notes. */
export function notePages(app: App, tools: NotePageTools): void {
  readingPages(app, tools);
  writingPages(app, tools);
}

function readingPages(app: App, tools: NotePageTools): void {
  const { addresses } = tools;
  app.get('/notes', { config: read }, async (_request, reply) =>
    reply.redirect(localAddress(NOTES_PATH, addresses), 303),
  );

  app.get(NOTES_PATH, { config: read, schema: { querystring: ListQuery } }, async (request, reply) => {
    const choice = choiceOf(request.query);
    const list = await shownList(signedIn(request), choice, tools);
    const side = emptyHtml('Choose a note', 'Or write a new one.');
    return sendPage(reply, {
      title: 'Notes',
      body: html`<h1 class="sr-only">Notes</h1>${panes({ list, choice }, side)}`,
    });
  });

  app.get(
    `${NOTES_PATH}/new`,
    { config: write, schema: { querystring: ListQuery } },
    async (request, reply) => {
      const { category = '' } = request.query;
      return sendEditor(
        request,
        reply,
        { draft: { title: '', category, content: '', isFavorite: false } },
        tools,
      );
    },
  );

  app.get(
    `${NOTES_PATH}/:id(^\\d+$)`,
    { config: write, schema: { ...ofNote, querystring: NoteQuery } },
    async (request, reply) => {
      const note = await tools.notes.get(signedIn(request), noteIdOf(request), { showsContent: true });
      const { view, merged } = request.query;
      if (view === 'read' || note.isReadOnly || note.content === null)
        return sendReading(request, reply, note, tools);
      return sendEditor(
        request,
        reply,
        { note, draft: draftOf(note), isMerged: merged !== undefined },
        tools,
      );
    },
  );
}

function writingPages(app: App, tools: NotePageTools): void {
  const { notes, addresses } = tools;
  const leadTo = (reply: FastifyReply, path: string) => reply.redirect(localAddress(path, addresses), 303);

  app.post(NOTES_PATH, { bodyLimit, config: write }, async (request, reply) => {
    const draft = draftIn(request);
    try {
      const note = await notes.create(signedIn(request), editOf(draft));
      return wantsJson(request) ? saved(reply, note, draft) : leadTo(reply, `${NOTES_PATH}/${note.id}`);
    } catch (error) {
      return sendRefused(request, reply, { error, draft }, tools);
    }
  });

  app.post(
    `${NOTES_PATH}/:id(^\\d+$)`,
    { bodyLimit, config: write, schema: ofNote },
    async (request, reply) => {
      const draft = draftIn(request);
      const id = noteIdOf(request);
      try {
        // The server merges this edit with the edits of other devices since this browser was shown the note.
        const { note } = await notes.edit(signedIn(request), id, editOf(draft), undefined);
        if (wantsJson(request)) return saved(reply, note, draft);
        return leadTo(reply, `${NOTES_PATH}/${id}${isMerged(note, draft) ? '?merged=1' : ''}`);
      } catch (error) {
        // Nothing that was typed is lost, also if the note was deleted meanwhile: the form then makes a new one.
        return sendRefused(
          request,
          reply,
          { error, draft, id: isFailure(error, 'not_found') ? undefined : id },
          tools,
        );
      }
    },
  );

  app.post(`${NOTES_PATH}/:id(^\\d+$)/delete`, { config: write, schema: ofNote }, async (request, reply) => {
    await notes.remove(signedIn(request), noteIdOf(request));
    return leadTo(reply, NOTES_PATH);
  });
}

function choiceOf(query: { category?: string; q?: string; page?: string }): ListChoice {
  const page = /^[1-9]\d{0,5}$/.test(query.page ?? '') ? Number(query.page) : 1;
  return { category: query.category, words: query.q?.trim() ?? '', page };
}

function draftOf({ title, category, content, isFavorite }: Note): Draft {
  return { title, category, content: content ?? '', isFavorite };
}

function draftIn(request: FastifyRequest): Draft {
  return {
    title: fieldOf(request, 'title').trim(),
    category: fieldOf(request, 'category').trim(),
    // Forms end lines as the wire does.
    content: fieldOf(request, 'content').replaceAll('\r\n', '\n'),
    isFavorite: fieldOf(request, 'favorite') !== '',
  };
}

/** A note without a title gets one from its text. */
function editOf({ title, ...rest }: Draft) {
  return title === '' ? { ...rest, isTitledByText: true } : { ...rest, title };
}

function isMerged({ content }: Note, draft: Draft): boolean {
  return content !== draft.content;
}

/** Whether the script of the page has sent the form. */
function wantsJson({ headers }: FastifyRequest): boolean {
  return headers.accept?.startsWith('application/json') === true;
}

function saved(reply: FastifyReply, note: Note, draft: Draft): FastifyReply {
  const { id, title, category, content } = note;
  return reply
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(
      JSON.stringify({
        id,
        title,
        category,
        version: noteVersion(note),
        ...(isMerged(note, draft) ? { content } : {}),
      }),
    );
}

async function sendRefused(
  request: FastifyRequest,
  reply: FastifyReply,
  { error, draft, id }: { readonly error: unknown; readonly draft: Draft; readonly id?: number | undefined },
  tools: NotePageTools,
): Promise<FastifyReply> {
  const isGone = isFailure(error, 'not_found');
  const problem = isGone
    ? 'This note was deleted meanwhile. Save to keep your text as a new note.'
    : problemOf(error, reply);
  if (problem === undefined || wantsJson(request)) throw error;
  if (isGone) reply.code(409);
  return sendEditor(request, reply, { draft, problem, ...(id === undefined ? {} : { id }) }, tools);
}

async function sendEditor(
  request: FastifyRequest,
  reply: FastifyReply,
  state: {
    readonly draft: Draft;
    readonly note?: Note;
    readonly id?: number;
    readonly problem?: string;
    readonly isMerged?: boolean;
  },
  tools: NotePageTools,
): Promise<FastifyReply> {
  const { note, draft, isMerged: wasMerged = false } = state;
  const id = note?.id ?? state.id;
  const choice = { category: note?.category, words: '', page: 1 };
  const list = await shownList(signedIn(request), choice, tools);
  const editor = editorHtml(
    request,
    reply,
    { ...state, id, isMerged: wasMerged, categories: [...list.categories.keys()] },
    tools.addresses,
  );
  const actions = id === undefined ? html`` : noteActions(request, reply, id, tools.addresses);
  const title = draft.title === '' ? 'New note' : draft.title;
  return sendPage(reply, {
    title: `${title} · Notes`,
    hasForm: true,
    hasScript: true,
    head: SCRIPT_ELEMENT,
    body: html`<h1 class="sr-only">${title}</h1>${panes({ list, choice, openId: id ?? 0 }, html`${editor}${actions}`)}`,
  });
}

function noteActions(request: FastifyRequest, reply: FastifyReply, id: number, addresses: Addresses): Html {
  const path = `${NOTES_PATH}/${id}`;
  const removal = formHtml(
    request,
    reply,
    { action: `${path}/delete`, fields: html``, button: 'Delete', isSecond: true },
    addresses,
  );
  return html`<div class="row note-actions"><a class="button small" href="${path}?view=read">Read</a><a class="button small" href="${path}/history">History</a><span class="end">${removal}</span></div>`;
}

async function sendReading(
  request: FastifyRequest,
  reply: FastifyReply,
  note: Note,
  tools: NotePageTools,
): Promise<FastifyReply> {
  const viewer = signedIn(request);
  const choice = { category: note.category, words: '', page: 1 };
  const [list, text] = await Promise.all([
    shownList(viewer, choice, tools),
    note.content === null
      ? html`<p class="notice">This note is not text, or is too large to show. It is a file of your notebook, which git has.</p>`
      : markdownHtml(tools.markdown, viewer, { text: note.content, mode: 'markdown', context: '' }),
  ]);
  const edit =
    note.isReadOnly || note.content === null
      ? html`<span class="badge">Read only</span>`
      : html`<a class="button small" href="${NOTES_PATH}/${note.id}">Edit</a>`;
  const body = html`<div class="row"><a class="note-back button small" href="${NOTES_PATH}">All notes</a>${edit}<a class="button small" href="${NOTES_PATH}/${note.id}/history">History</a></div>
<h1>${note.title}</h1>
${text}`;
  return sendPage(reply, {
    title: `${note.title} · Notes`,
    body: panes({ list, choice, openId: note.id }, html`<div class="stack">${body}</div>`),
  });
}
