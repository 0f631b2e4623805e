import type { FastifyRequest } from 'fastify';
import { SERVER } from '../../api/access/actions.ts';
import { isSignedIn } from '../../api/access/viewer.ts';
import { ForgeError, notFound } from '../../base/core/failure.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { App } from '../../http/app.ts';
import { announceNotesVersions } from '../../http/errors/notes.ts';
import { isMeant, sendOcs, sendUnmeant } from '../../http/ocs.ts';
import { LAST_MS } from '../../http/time.ts';
import { NOTE } from './actions.ts';
import type { Notebooks } from './index/notebooks.ts';
import { NOTE_LIMITS } from './limits.ts';
import { cursorAfter, excludedOf, listQueryOf, shownTimes } from './list.ts';
import { sendList } from './listing/send-list.ts';
import { DEFAULT_SETTINGS, type NoteEdit, type NoteSettings, type SettingsChange } from './model.ts';
import { type Parameters, parseForm, readParameters } from './parameters.ts';
import { presentCapabilities, presentNote, presentSettings } from './present.ts';
import { expectationOf, holdsVersion, noteIdOf, notModified, signedIn } from './requests.ts';
import type { Notes } from './service.ts';
import { fileSuffixOf, noteModeOf, notesPathOf } from './settings.ts';
import { noteVersion, seconds } from './versions.ts';

const MODIFIED_MAX = LAST_MS / 1000;
const bodyLimit = NOTE_LIMITS.noteBodyBytesMax;
/** Statuses of responses with a file. */
const CACHEABLE: ReadonlySet<number> = new Set([200, 206, 304]);

interface Dependencies {
  readonly notes: Notes;
  readonly notebooks: Notebooks;
}

/** The notes API, below the prefix of `app`. */
export function noteRoutes(app: App, dependencies: Dependencies): void {
  app.addHook('onSend', async (request, reply) => {
    announceNotesVersions(reply);
    const { origin } = request.headers;
    if (origin !== undefined) reply.header('access-control-allow-origin', origin);
    const isCacheable = request.routeOptions.config.isCacheable === true && CACHEABLE.has(reply.statusCode);
    const varying = [
      ...(isCacheable ? ['Authorization', 'Cookie'] : []),
      ...(origin === undefined ? [] : ['Origin']),
    ];
    if (varying.length > 0) reply.header('vary', varying.join(', '));
    // Clients revalidate their copies. No cache between client and server may respond.
    reply.header(
      'cache-control',
      isCacheable ? 'private, max-age=3600' : 'no-cache, no-store, must-revalidate',
    );
  });
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: FastifyRequest, body: string) => parseForm(body),
  );
  for (const version of ['v1', 'v0.2'] as const) {
    readingRoutes(app, version, dependencies);
    writingRoutes(app, version, dependencies);
  }
  for (const version of ['v1', 'v1.4']) settingsRoutes(app, version, dependencies);
  unknownRoutes(app);
}

/** The major versions of the API. In version 0.2, the title of a note is made from its text. */
type Version = 'v1' | 'v0.2';

function readingRoutes(app: App, version: Version, { notes, notebooks }: Dependencies): void {
  app.get(`/${version}/notes`, { config: { action: NOTE.read } }, async (request, reply) => {
    const now = currentTimeMs();
    const viewer = signedIn(request);
    const query = listQueryOf(await readParameters(request));
    const pending = await notes.list(viewer, query);
    if (holdsVersion(request, pending.version)) return notModified(reply, pending.version);
    const list = await pending.read();
    const settings = await notebooks.settingsOf(viewer);
    const asOf = query.cursor?.start ?? seconds(now);
    const cursor = cursorAfter(list, asOf);
    const shown = shownTimes(query, list.full, cursor);
    if (shown !== undefined) await notes.shown(viewer, list, shown);
    reply.header('etag', `"${list.version}"`).header('last-modified', httpDate(asOf));
    if (cursor !== undefined)
      reply.header('x-notes-chunk-cursor', cursor).header('x-notes-chunk-pending', list.pending);
    await app.responses.hold(reply, list.full.count * NOTE_LIMITS.noteListedBytes);
    return sendList(reply, list, (note) => presentNote(note, settings, query.exclude));
  });

  app.get(`/${version}/notes/:id(^\\d+$)`, { config: { action: NOTE.read } }, async (request, reply) => {
    const viewer = signedIn(request);
    const exclude = excludedOf(await readParameters(request));
    const note = await notes.get(viewer, noteIdOf(request), { showsContent: !exclude.includes('content') });
    const etag = noteVersion(note);
    if (holdsVersion(request, etag)) return notModified(reply, etag);
    reply.header('etag', `"${etag}"`);
    return presentNote(note, await notebooks.settingsOf(viewer), exclude);
  });
}

function writingRoutes(app: App, version: Version, { notes, notebooks }: Dependencies): void {
  app.post(`/${version}/notes`, { bodyLimit, config: { action: NOTE.write } }, async (request) => {
    const viewer = signedIn(request);
    const note = await notes.create(viewer, editOf(version, await readParameters(request)));
    return presentNote(note, await notebooks.settingsOf(viewer));
  });

  app.put(
    `/${version}/notes/:id(^\\d+$)`,
    { bodyLimit, config: { action: NOTE.write } },
    async (request, reply) => {
      const viewer = signedIn(request);
      const edit = editOf(version, await readParameters(request));
      const edited = await notes.edit(viewer, noteIdOf(request), edit, expectationOf(request));
      if (!edited.isApplied) reply.code(412);
      return presentNote(edited.note, await notebooks.settingsOf(viewer));
    },
  );

  app.delete(
    `/${version}/notes/:id(^\\d+$)`,
    { bodyLimit, config: { action: NOTE.write } },
    async (request) => {
      await notes.remove(signedIn(request), noteIdOf(request));
      return [];
    },
  );
}

function settingsRoutes(app: App, version: string, { notebooks }: Dependencies): void {
  app.get(`/${version}/settings`, { config: { action: NOTE.read } }, async (request) =>
    presentSettings(await notebooks.settingsOf(signedIn(request))),
  );
  app.put(`/${version}/settings`, { config: { action: NOTE.write } }, async (request) => {
    const change = settingsChangeOf(await readParameters(request));
    return presentSettings(await notebooks.change(signedIn(request), change));
  });
}

function unknownRoutes(app: App): void {
  app.get('/*', { config: { action: NOTE.read } }, async () => {
    throw new ForgeError({ kind: 'bad_request', what: 'no such version or route' });
  });
  app.route({
    method: ['POST', 'PUT', 'PATCH', 'DELETE'],
    url: '/*',
    config: { action: NOTE.read },
    handler: async () => {
      throw notFound('route');
    },
  });
  app.options('/*', { config: { action: SERVER.describe } }, async (request, reply) => {
    if (request.headers.origin !== undefined) reply.headers(PREFLIGHT);
    return reply.send();
  });
}

/** A page of another site may use the API, but only with its own credentials. */
const PREFLIGHT = {
  'access-control-allow-methods': 'PUT, POST, GET, DELETE, PATCH',
  'access-control-allow-headers': 'Authorization, Content-Type, Accept, If-Match, If-None-Match',
  'access-control-max-age': '1728000',
  'access-control-allow-credentials': 'false',
};

/** The capabilities call, which clients send first. It returns the versions of the interfaces. */
export function capabilitiesRoutes(app: App, { notebooks }: { notebooks: Notebooks }): void {
  for (const version of ['v1.php', 'v2.php']) {
    app.get(
      `/${version}/cloud/capabilities`,
      { config: { action: SERVER.describe } },
      async (request, reply) => {
        if (!isMeant(request)) return sendUnmeant(request, reply);
        const { viewer } = request;
        const settings = isSignedIn(viewer) ? await notebooks.settingsOf(viewer) : null;
        return sendOcs(request, reply, { status: 200, message: 'OK', data: presentCapabilities(settings) });
      },
    );
  }
}

function editOf(version: Version, parameters: Parameters): NoteEdit {
  return {
    isTitledByText: version === 'v0.2',
    title: parameters.text('title'),
    category: parameters.text('category'),
    content: parameters.text('content'),
    modifiedAt: modifiedOf(parameters.integer('modified')),
    isFavorite: parameters.flag('favorite'),
  };
}

/** A value of null asks for the default. */
function settingsChangeOf(parameters: Parameters): SettingsChange {
  const asked = (name: keyof NoteSettings, valid: (text: string) => string) => {
    if (parameters.isNull(name)) return DEFAULT_SETTINGS[name];
    const text = parameters.text(name);
    return text === undefined ? undefined : valid(text);
  };
  return Object.fromEntries(
    Object.entries({
      notesPath: asked('notesPath', notesPathOf),
      fileSuffix: asked('fileSuffix', fileSuffixOf),
      noteMode: asked('noteMode', noteModeOf),
    }).filter(([, value]) => value !== undefined),
  );
}

/** A missing or impossible time means now. */
function modifiedOf(seconds: number | undefined): number | undefined {
  if (seconds === undefined || !(seconds > 0)) return undefined;
  return Math.min(seconds, MODIFIED_MAX) * 1000;
}

function httpDate(seconds: number): string {
  return new Date(seconds * 1000).toUTCString();
}
