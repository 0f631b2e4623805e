import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../../../base/core/failure.ts';
import { pagingOf } from '../../../base/core/paging.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { Addresses, App } from '../../../http/app.ts';
import { setNextLink, setPagingHeaders } from '../../../http/paging.ts';
import { NOTE } from '../actions.ts';
import type { Notebooks } from '../index/notebooks.ts';
import { readParameters } from '../parameters.ts';
import { presentNote } from '../present.ts';
import { expectationOf, holdsVersion, noteIdOf, notModified, signedIn } from '../requests.ts';
import { presentDeleted, presentVersion, presentVersionText } from './present.ts';
import type { NoteHistory, Pending } from './service.ts';

interface Dependencies {
  readonly noteHistory: NoteHistory;
  readonly notebooks: Notebooks;
  readonly addresses: Addresses;
}

const NOTE_URL = '/v1/notes/:id(^\\d+$)';
const VERSION_URL = `${NOTE_URL}/history/:version(^[0-9a-f]{40,64}$)`;

/** The histories of notes, an extension of the notes API: see docs/notes.md. */
export function noteHistoryRoutes(app: App, dependencies: Dependencies): void {
  readingRoutes(app, dependencies);
  writingRoutes(app, dependencies);
}

function readingRoutes(app: App, { noteHistory, addresses }: Dependencies): void {
  app.get('/v1/notes/deleted', { config: { action: NOTE.read } }, async (request, reply) => {
    const paging = await pagingIn(request);
    return unlessCurrent(
      { request, reply },
      await noteHistory.listDeleted(signedIn(request), paging),
      (page) => {
        setPagingHeaders(request, reply, addresses, { paging, total: page.total });
        return page.items.map(presentDeleted);
      },
    );
  });

  app.get(`${NOTE_URL}/history`, { config: { action: NOTE.read } }, async (request, reply) => {
    const paging = await pagingIn(request);
    const pending = await noteHistory.list(signedIn(request), noteIdOf(request), paging);
    return unlessCurrent({ request, reply }, pending, ({ versions, hasMore }) => {
      if (hasMore) setNextLink(request, reply, addresses, paging);
      return versions.map(presentVersion);
    });
  });

  app.get(VERSION_URL, { config: { action: NOTE.read } }, async (request, reply) => {
    const pending = await noteHistory.get(signedIn(request), noteIdOf(request), versionOf(request));
    return unlessCurrent({ request, reply }, pending, presentVersionText);
  });

  app.get(`${VERSION_URL}/diff`, { config: { action: NOTE.read } }, async (request, reply) => {
    const to = (await readParameters(request)).text('to');
    if (to !== undefined && !/^[0-9a-f]{40,64}$/.test(to)) throw notFound('version');
    const versions = { from: versionOf(request), to };
    const pending = await noteHistory.diff(signedIn(request), noteIdOf(request), versions);
    return unlessCurrent({ request, reply }, pending, (text) => {
      // Users wrote the lines of the diff, so no browser may run them.
      reply.headers({
        'content-type': 'text/plain; charset=utf-8',
        'content-security-policy': "default-src 'none'; sandbox",
      });
      return text;
    });
  });
}

function writingRoutes(app: App, { noteHistory, notebooks }: Dependencies): void {
  app.post(`${VERSION_URL}/restore`, { config: { action: NOTE.write } }, async (request, reply) => {
    const viewer = signedIn(request);
    const expected = expectationOf(request);
    const id = noteIdOf(request);
    const { note, isApplied } = await noteHistory.restore(viewer, id, versionOf(request), expected);
    if (!isApplied) reply.code(412);
    return presentNote(note, await notebooks.settingsOf(viewer));
  });

  app.post(`${NOTE_URL}/restore`, { config: { action: NOTE.write } }, async (request) => {
    const viewer = signedIn(request);
    const note = await noteHistory.restoreDeleted(viewer, noteIdOf(request));
    return presentNote(note, await notebooks.settingsOf(viewer));
  });
}

async function pagingIn(request: FastifyRequest) {
  const parameters = await readParameters(request);
  return pagingOf({ page: parameters.integer('page'), limit: parameters.integer('limit') });
}

async function unlessCurrent<T, Answer>(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  pending: Pending<T>,
  present: (read: T) => Answer,
): Promise<Answer | FastifyReply> {
  if (holdsVersion(request, pending.version)) return notModified(reply, pending.version);
  const read = await pending.read();
  reply.header('etag', `"${pending.version}"`);
  return present(read);
}

function versionOf(request: FastifyRequest): Oid {
  return (request.params as { version: Oid }).version;
}
