import { setImmediate as giveOthersATurn } from 'node:timers/promises';
import { invalid } from '../../../base/core/failure.ts';
import { pagingOf } from '../../../base/core/paging.ts';
import type { Addresses, App } from '../../../http/app.ts';
import { setPagingHeaders } from '../../../http/paging.ts';
import { NOTE } from '../actions.ts';
import type { Notebooks } from '../index/notebooks.ts';
import { readParameters } from '../parameters.ts';
import { presentNote } from '../present.ts';
import { holdsVersion, notModified, signedIn } from '../requests.ts';
import type { NoteRecord } from '../schema.ts';
import type { NoteSearch } from './service.ts';
import { type SnippetPart, snippetOf } from './snippet.ts';

interface Dependencies {
  readonly noteSearch: NoteSearch;
  readonly notebooks: Notebooks;
  readonly addresses: Addresses;
}

/** The search, an extension of the notes API: see docs/notes.md. */
export function noteSearchRoutes(app: App, { noteSearch, notebooks, addresses }: Dependencies): void {
  app.get('/v1/notes/search', { config: { action: NOTE.read } }, async (request, reply) => {
    const viewer = signedIn(request);
    const parameters = await readParameters(request);
    const query = parameters.text('q');
    if (query === undefined) throw invalid('q is missing: the words to search for');
    const paging = pagingOf({ page: parameters.integer('page'), limit: parameters.integer('limit') });
    const search = await noteSearch.search(viewer, query, paging);
    if (holdsVersion(request, search.version)) return notModified(reply, search.version);
    const { items, total } = await search.read();
    setPagingHeaders(request, reply, addresses, { paging, total });
    reply.header('etag', `"${search.version}"`);
    const settings = await notebooks.settingsOf(viewer);
    const found: (Partial<NoteRecord> & { readonly snippet: readonly SnippetPart[] })[] = [];
    for (const note of items) {
      const snippet = snippetOf(note.content ?? '', search.terms);
      found.push({ ...presentNote(note, settings, ['content']), snippet });
      await giveOthersATurn();
    }
    return found;
  });
}
