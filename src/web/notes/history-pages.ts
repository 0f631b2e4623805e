import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { isFailure } from '../../base/core/failure.ts';
import { asWritten, type Html, html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { sendPage } from '../../http/pages/page.ts';
import { NOTE } from '../../notes/notebooks/actions.ts';
import type { NoteVersionEntry, NoteVersionText } from '../../notes/notebooks/history/model.ts';
import type { NoteHistory } from '../../notes/notebooks/history/service.ts';
import { noteIdOf, signedIn } from '../../notes/notebooks/requests.ts';
import { formHtml } from '../forms/form-parts.ts';
import { WEB_LIMITS } from '../limits.ts';
import { icon } from '../parts/icons.ts';
import { emptyHtml, pagerHtml } from '../parts/lists.ts';
import { sizeText } from '../parts/numbers.ts';
import { agoHtml } from '../parts/time.ts';
import { NOTES_PATH } from './parts.ts';

interface Tools {
  readonly noteHistory: NoteHistory;
  readonly addresses: Addresses;
}

const Paged = Type.Object({ page: Type.Optional(Type.String()) });
const ofNote = { params: Type.Object({ id: Type.String() }) };
const ofVersion = { params: Type.Object({ id: Type.String(), version: Type.String() }) };
const VERSION_PATH = `${NOTES_PATH}/:id(^\\d+$)/history/:version(^[0-9a-f]{40,64}$)` as const;
const write = { action: NOTE.write, isForm: true } as const;

/** Registers the pages with earlier versions of notes, and with deleted notes. */
export function noteHistoryPages(app: App, tools: Tools): void {
  const { noteHistory, addresses } = tools;
  const limit = WEB_LIMITS.noteVersionsPageMax;

  app.get(
    `${NOTES_PATH}/:id(^\\d+$)/history`,
    { config: { action: NOTE.read }, schema: { ...ofNote, querystring: Paged } },
    async (request, reply) => {
      const id = noteIdOf(request);
      const page = pageOf(request.query.page);
      const { versions, hasMore } = await (
        await noteHistory.list(signedIn(request), id, { page, limit })
      ).read();
      return sendPage(reply, {
        title: 'History of a note',
        body: historyBody(id, versions, { page, hasNext: hasMore }),
      });
    },
  );

  app.get(VERSION_PATH, { config: write, schema: ofVersion }, async (request, reply) => {
    const id = noteIdOf(request);
    const viewer = signedIn(request);
    const version = await (await noteHistory.get(viewer, id, request.params.version)).read();
    const diff = await differenceTo(noteHistory, viewer, id, version);
    return sendVersion(request, reply, { id, version, diff }, addresses);
  });

  app.post(`${VERSION_PATH}/restore`, { config: write, schema: ofVersion }, async (request, reply) => {
    const id = noteIdOf(request);
    await noteHistory.restore(signedIn(request), id, request.params.version, undefined);
    return reply.redirect(localAddress(`${NOTES_PATH}/${id}`, addresses), 303);
  });

  app.get(
    `${NOTES_PATH}/deleted`,
    { config: write, schema: { querystring: Paged } },
    async (request, reply) => {
      const page = pageOf(request.query.page);
      const { items, total } = await (
        await noteHistory.listDeleted(signedIn(request), { page, limit })
      ).read();
      const rows = items.map(
        ({ id, title, category, deletedAt }) =>
          html`<li><div class="grow"><a href="${NOTES_PATH}/${id}/history">${title}</a>
<div class="quiet small">${category === '' ? html`` : html`${category} · `}deleted ${agoHtml(deletedAt)}</div></div><span class="end">${restoreForm(request, reply, `${NOTES_PATH}/${id}/restore`, addresses)}</span></li>
`,
      );
      return sendPage(reply, {
        title: 'Deleted notes',
        hasForm: true,
        body: html`<div class="stack"><p><a class="button small" href="${NOTES_PATH}">All notes</a></p>
<h1>Deleted notes</h1>
<p class="quiet">They can be restored for 90 days. After that, git still has them.</p>
${items.length === 0 ? emptyHtml('No note was deleted in the last 90 days') : html`<ul class="rows box">${rows}</ul>`}
${pagerHtml(`${NOTES_PATH}/deleted`, { page, hasNext: page * limit < total })}</div>`,
      });
    },
  );

  app.post(`${NOTES_PATH}/:id(^\\d+$)/restore`, { config: write, schema: ofNote }, async (request, reply) => {
    const { id } = await noteHistory.restoreDeleted(signedIn(request), noteIdOf(request));
    return reply.redirect(localAddress(`${NOTES_PATH}/${id}`, addresses), 303);
  });
}

function pageOf(text: string | undefined): number {
  return /^[1-9]\d{0,5}$/.test(text ?? '') ? Number(text) : 1;
}

function historyBody(
  id: number,
  versions: readonly NoteVersionEntry[],
  pager: { readonly page: number; readonly hasNext: boolean },
): Html {
  const rows = versions.map(
    ({ commit, title, changes, time, author, sizeBytes }) =>
      html`<li>${icon('history')}<div class="grow"><a href="${NOTES_PATH}/${id}/history/${commit}">${title}</a>
<div class="quiet small">${changes.join(', ')} · ${author.name} · ${agoHtml(time * 1000)}</div></div><span class="end quiet small number">${sizeBytes === null ? 'deleted' : sizeText(sizeBytes)}</span></li>
`,
  );
  return html`<div class="stack"><p><a class="button small" href="${NOTES_PATH}/${id}">Back to the note</a></p>
<h1>History</h1>
<ul class="rows box">${rows}</ul>
${pagerHtml(`${NOTES_PATH}/${id}/history`, pager)}</div>`;
}

/** @returns undefined if the version or the newest one has no text that can be compared */
async function differenceTo(
  noteHistory: NoteHistory,
  viewer: ReturnType<typeof signedIn>,
  id: number,
  { commit, content }: NoteVersionText,
): Promise<string | undefined> {
  if (content === null) return undefined;
  try {
    return await (await noteHistory.diff(viewer, id, { from: commit, to: undefined })).read();
  } catch (error) {
    if (!isFailure(error, 'invalid', 'busy')) throw error;
    return undefined;
  }
}

function sendVersion(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    id,
    version,
    diff,
  }: { readonly id: number; readonly version: NoteVersionText; readonly diff: string | undefined },
  addresses: Addresses,
): FastifyReply {
  const { commit, title, category, content, time, author } = version;
  const text =
    content === null
      ? html`<p class="notice">This version has no text that could be shown.</p>`
      : html`<pre class="note-version" tabindex="0">${asWritten(content)}</pre>`;
  const changed =
    diff === undefined || diff === ''
      ? html``
      : html`<details><summary>What has changed since</summary><pre tabindex="0">${asWritten(diff)}</pre></details>`;
  return sendPage(reply, {
    title: `${title} · earlier version`,
    hasForm: true,
    body: html`<div class="stack"><p><a class="button small" href="${NOTES_PATH}/${id}/history">Back to the history</a></p>
<h1>${title}</h1>
<p class="quiet">${category === '' ? html`` : html`${category} · `}${author.name} · ${agoHtml(time * 1000)}</p>
${content === null ? html`` : restoreForm(request, reply, `${NOTES_PATH}/${id}/history/${commit}/restore`, addresses)}
${text}
${changed}</div>`,
  });
}

function restoreForm(
  request: FastifyRequest,
  reply: FastifyReply,
  action: string,
  addresses: Addresses,
): Html {
  return formHtml(request, reply, { action, fields: html``, button: 'Restore', isSecond: true }, addresses);
}
