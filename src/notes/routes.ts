import type { FastifyReply, FastifyRequest } from 'fastify';
import { SERVER } from '../access/actions.ts';
import { isSignedIn, type SignedIn } from '../access/viewer.ts';
import { ForgeError, notFound } from '../core/failure.ts';
import { parseId } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import type { App } from '../http/app.ts';
import { announceNotesVersions } from '../http/errors/notes.ts';
import { sendOcs } from '../http/ocs.ts';
import { NOTE } from './actions.ts';
import { excludedOf, listQueryOf, selectNotes, shownSince } from './list.ts';
import type { NoteEdit } from './model.ts';
import type { Notebooks } from './notebooks.ts';
import { type Parameters, parseForm, readParameters } from './parameters.ts';
import { presentCapabilities, presentNote } from './present.ts';
import type { Notes } from './service.ts';
import { noteVersion } from './versions.ts';

/** end of the year 9999, in seconds */
const MODIFIED_MAX = 253_402_300_799;
const bodyLimit = LIMITS.noteBodyBytesMax;

interface Dependencies {
  readonly notes: Notes;
  readonly notebooks: Notebooks;
}

/** The notes API. The prefix of `app` says where it begins. */
export function noteRoutes(app: App, dependencies: Dependencies): void {
  app.addHook('onSend', async (_request, reply) => {
    announceNotesVersions(reply);
    // Clients revalidate what they have. No cache on the way may respond in place of the server.
    reply.header('cache-control', 'no-cache, no-store, must-revalidate');
  });
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: FastifyRequest, body: string) => parseForm(body),
  );
  readingRoutes(app, dependencies);
  writingRoutes(app, dependencies);
  unknownRoutes(app);
}

function readingRoutes(app: App, { notes, notebooks }: Dependencies): void {
  app.get('/v1/notes', { config: { action: NOTE.read } }, async (request, reply) => {
    const now = Date.now();
    const viewer = signedIn(request);
    const query = listQueryOf(await readParameters(request));
    const pending = await notes.list(viewer, query);
    if (holdsVersion(request, pending.version)) return notModified(reply, pending.version);
    const { version, notes: all } = await pending.read({ contentSince: shownSince(query) });
    const settings = await notebooks.settingsOf(viewer);
    const { full, pruned, asOf, cursor, pending: left } = selectNotes(all, query, now);
    reply.header('etag', `"${version}"`).header('last-modified', httpDate(asOf));
    if (cursor !== undefined)
      reply.header('x-notes-chunk-cursor', cursor).header('x-notes-chunk-pending', left);
    return [
      ...full.map((note) => presentNote(note, settings, query.exclude)),
      ...pruned.map(({ id }) => ({ id })),
    ];
  });

  app.get('/v1/notes/:id(^\\d+$)', { config: { action: NOTE.read } }, async (request, reply) => {
    const viewer = signedIn(request);
    const exclude = excludedOf(await readParameters(request));
    const note = await notes.get(viewer, noteIdOf(request));
    const version = noteVersion(note);
    if (holdsVersion(request, version)) return notModified(reply, version);
    reply.header('etag', `"${version}"`);
    return presentNote(note, await notebooks.settingsOf(viewer), exclude);
  });
}

function writingRoutes(app: App, { notes, notebooks }: Dependencies): void {
  app.post('/v1/notes', { bodyLimit, config: { action: NOTE.write } }, async (request) => {
    const viewer = signedIn(request);
    const note = await notes.create(viewer, editOf(await readParameters(request)));
    return presentNote(note, await notebooks.settingsOf(viewer));
  });

  app.put('/v1/notes/:id(^\\d+$)', { bodyLimit, config: { action: NOTE.write } }, async (request, reply) => {
    const viewer = signedIn(request);
    const edit = editOf(await readParameters(request));
    const edited = await notes.edit(viewer, noteIdOf(request), edit, expectationOf(request));
    if (!edited.isApplied) reply.code(412);
    return presentNote(edited.note, await notebooks.settingsOf(viewer));
  });

  app.delete('/v1/notes/:id(^\\d+$)', { bodyLimit, config: { action: NOTE.write } }, async (request) => {
    await notes.remove(signedIn(request), noteIdOf(request));
    return [];
  });
}

function unknownRoutes(app: App): void {
  // Clients learn the versions of the API from this response, so it needs no sign-in.
  app.get('/*', { config: { action: SERVER.describe } }, async () => {
    throw new ForgeError({ kind: 'bad_request', what: 'no such version or route' });
  });
  app.route({
    method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: '/*',
    config: { action: SERVER.describe },
    handler: async () => {
      throw notFound('route');
    },
  });
}

/** The capabilities call, which clients send first: the versions of the interfaces. */
export function capabilitiesRoutes(app: App, { notebooks }: { notebooks: Notebooks }): void {
  for (const version of ['v1.php', 'v2.php']) {
    app.get(
      `/${version}/cloud/capabilities`,
      { config: { action: SERVER.describe } },
      async (request, reply) => {
        if (!isMeant(request)) {
          return sendOcs(request, reply, { status: 412, message: 'CSRF check failed', data: [] });
        }
        const { viewer } = request;
        const settings = isSignedIn(viewer) ? await notebooks.settingsOf(viewer) : null;
        return sendOcs(request, reply, { status: 200, message: 'OK', data: presentCapabilities(settings) });
      },
    );
  }
}

/** A foreign page can make a browser send a request with its password, but not with this header or a token. */
function isMeant(request: FastifyRequest): boolean {
  return request.headers['ocs-apirequest'] === 'true' || request.viewer.credential === 'token';
}

function signedIn(request: FastifyRequest): SignedIn {
  const { viewer } = request;
  if (isSignedIn(viewer)) return viewer;
  throw new ForgeError({ kind: 'unauthenticated', what: 'sign in to see notes' });
}

function noteIdOf(request: FastifyRequest): number {
  const id = parseId((request.params as { id: string }).id);
  if (id === undefined) throw notFound('note');
  return id;
}

function editOf(parameters: Parameters): NoteEdit {
  return {
    title: parameters.text('title'),
    category: parameters.text('category'),
    content: parameters.text('content'),
    modifiedAt: modifiedOf(parameters.integer('modified')),
    isFavorite: parameters.flag('favorite'),
  };
}

/** A missing or impossible time means now. */
function modifiedOf(seconds: number | undefined): number | undefined {
  if (seconds === undefined || !(seconds > 0)) return undefined;
  return Math.min(seconds, MODIFIED_MAX) * 1000;
}

/** HTTP requires quotes around a version, but some clients omit them. */
function holdsVersion(request: FastifyRequest, version: string): boolean {
  const sent = request.headers['if-none-match'] ?? '';
  return sent.split(',').some((tag) => tag.trim().replace(/^W\//, '').replaceAll('"', '') === version);
}

function notModified(reply: FastifyReply, version: string): FastifyReply {
  return reply.code(304).header('etag', `"${version}"`).send();
}

/** Without `If-Match`, every version is accepted. Only strong tags match. */
function expectationOf(request: FastifyRequest): (version: string) => boolean {
  const header = request.headers['if-match'];
  if (header === undefined) return () => true;
  const tags = header.split(',').map((tag) => tag.trim());
  return (version) => tags.includes(`"${version}"`);
}

function httpDate(seconds: number): string {
  return new Date(seconds * 1000).toUTCString();
}
