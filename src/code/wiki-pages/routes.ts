import { type Beginning, operationsOn } from '../../api/operations/operations.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import { WIKI } from '../../hosting/wikis/actions.ts';
import type { Addresses, App } from '../../http/app.ts';
import { addressIn } from './address.ts';
import { WIKI_PAGE_LIMITS } from './limits.ts';
import { newPageOf, pageChangeOf } from './options.ts';
import { ListedPageAnswer, RevisionsAnswer, WikiPageAnswer } from './present.ts';
import type { WikiReader } from './read.ts';
import { RevisionsQuery, WikiPageBody } from './schema.ts';
import type { WikiWriter } from './write.ts';

const WIKI_URL = '/repos/:owner/:repo/wiki';
const PAGE_URL = `${WIKI_URL}/page/:pageName` as const;
const options = { bodyLimit: WIKI_PAGE_LIMITS.pageBodyBytesMax };

interface Dependencies {
  readonly wikiReader: WikiReader;
  readonly wikiWriter: WikiWriter;
  readonly addresses: Addresses;
}

export function wikiRoutes(app: App, { wikiReader, wikiWriter, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });
  const begin = ({ viewer, path }: Beginning<RepositoryPath>) => wikiWriter.find(viewer, path);

  api.post(`${WIKI_URL}/new`, WIKI.beginEdit, {
    id: 'repoCreateWikiPage',
    summary: 'Create a wiki page',
    failures: ['archived', 'bad_request', 'invalid', 'too_large'],
    options,
    begin,
    body: WikiPageBody,
    status: 201,
    answer: WikiPageAnswer,
    async handle({ viewer, path, body }) {
      return wikiReader.read(viewer, path, await wikiWriter.create(viewer, path, newPageOf(body)));
    },
  });

  api.get(PAGE_URL, WIKI.read, {
    id: 'repoGetWikiPage',
    summary: 'Get a wiki page',
    failures: ['invalid', 'too_large'],
    answer: WikiPageAnswer,
    handle: ({ viewer, path, request }) => wikiReader.read(viewer, path, addressIn(request)),
  });

  api.patch(PAGE_URL, WIKI.beginEdit, {
    id: 'repoEditWikiPage',
    summary: 'Change the content or the title of a wiki page',
    failures: ['archived', 'bad_request', 'invalid', 'too_large'],
    options,
    begin,
    body: WikiPageBody,
    answer: WikiPageAnswer,
    async handle({ viewer, path, body, request }) {
      const change = pageChangeOf(body);
      return wikiReader.read(viewer, path, await wikiWriter.edit(viewer, path, addressIn(request), change));
    },
  });

  api.delete(PAGE_URL, WIKI.beginEdit, {
    id: 'repoDeleteWikiPage',
    summary: 'Delete a wiki page',
    failures: ['archived', 'invalid'],
    handle: ({ viewer, path, request }) => wikiWriter.delete(viewer, path, addressIn(request)),
  });

  api.list(`${WIKI_URL}/pages`, WIKI.read, {
    id: 'repoGetWikiPages',
    summary: 'List the wiki pages of a repository',
    failures: ['invalid'],
    answer: ListedPageAnswer,
    handle: ({ viewer, path, paging }) => wikiReader.list(viewer, path, paging),
  });

  api.get(`${WIKI_URL}/revisions/:pageName`, WIKI.read, {
    id: 'repoGetWikiPageRevisions',
    summary: 'List the commits that changed a wiki page, newest first',
    failures: ['invalid'],
    query: RevisionsQuery,
    answer: RevisionsAnswer,
    async handle({ viewer, path, query, request, reply }) {
      const page = Math.max(query.page ?? 1, 1);
      const revisions = await wikiReader.revisions(viewer, path, addressIn(request), page);
      reply.header('x-total-count', revisions.total);
      return revisions;
    },
  });
}
