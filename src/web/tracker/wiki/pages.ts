import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type Html, html } from '../../../base/core/text/html.ts';
import { parseId } from '../../../base/core/text/ids.ts';
import { sendFile } from '../../../code/contents/raw/raw.ts';
import type { ContentsReader } from '../../../code/contents/read.ts';
import { addressIn } from '../../../code/wiki-pages/address.ts';
import type { FoundPage } from '../../../code/wiki-pages/model.ts';
import { HOME } from '../../../code/wiki-pages/names.ts';
import type { WikiReader } from '../../../code/wiki-pages/read.ts';
import type { RepositoryPath } from '../../../hosting/repositories/model.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import { WIKI } from '../../../hosting/wikis/actions.ts';
import type { Addresses, App } from '../../../http/app.ts';
import { sendPage } from '../../../http/pages/page.ts';
import type { Markdown } from '../../../tracker/markdown/service.ts';
import { repositoryPath } from '../../addresses.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { markdownTexts } from '../../parts/markdown.ts';
import { repositoryHeader } from '../../parts/repository-header.ts';
import { type TrackerView, viewOf } from '../parts/view.ts';
import { sendEditForm, sendNewForm } from './form-pages.ts';
import {
  ACTIONS,
  contentsPart,
  pageLinks,
  wikiFrame,
  wikiHistoryPage,
  wikiListPage,
  wikiPath,
  wikiTitle,
} from './parts.ts';

interface Dependencies {
  readonly repositories: Repositories;
  readonly wikiReader: WikiReader;
  readonly reading: ContentsReader;
  readonly markdown: Markdown;
  readonly addresses: Addresses;
}

const InRepository = { owner: Type.String(), repo: Type.String() };
const Params = Type.Object(InRepository);
const ParamsAndRest = Type.Object({ ...InRepository, '*': Type.String() });
const Query = Type.Object({
  action: Type.Optional(Type.String()),
  page: Type.Optional(Type.String()),
});
const config = { action: WIKI.read };

/** Registers the pages of wikis, and the addresses of the files that they show. */
export function wikiPages(app: App, dependencies: Dependencies): void {
  startPage(app, dependencies);
  namedPage(app, dependencies);
  files(app, dependencies);
}

function startPage(app: App, dependencies: Dependencies): void {
  const { repositories, wikiReader, addresses } = dependencies;
  app.get(
    '/:owner/:repo/wiki',
    { config, schema: { params: Params, querystring: Query } },
    async (request, reply) => {
      const { viewer, params, query } = request;
      const path = pathOf(params);
      const permitted = await repositories.get(viewer, path, WIKI.read);
      const view = viewOf(request, reply, { permitted, addresses });
      const { wiki } = permitted.repository.units;
      if (wiki.kind === 'external') return sendPage(reply, externalPage(view, wiki.url));
      if (query.action === ACTIONS.create) return sendNewForm(request, reply, dependencies);
      const { open } = await wikiReader.open(viewer, path);
      const home = query.action === ACTIONS.list ? undefined : open?.index.find(HOME);
      if (open === undefined || home === undefined) return sendPage(reply, wikiListPage(view, open));
      return sendWikiPage(reply, view, { ...open, page: home }, dependencies);
    },
  );
}

function namedPage(app: App, dependencies: Dependencies): void {
  const { wikiReader } = dependencies;
  app.get(
    '/:owner/:repo/wiki/:pageName',
    {
      config,
      schema: { params: Type.Object({ ...InRepository, pageName: Type.String() }), querystring: Query },
    },
    async (request, reply) => {
      const { viewer, query, params } = request;
      const path = pathOf(params);
      if (query.action === ACTIONS.list || params.pageName === ACTIONS.list) {
        const { open } = await wikiReader.open(viewer, path);
        return sendPage(reply, wikiListPage(await openView(request, reply, dependencies), open));
      }
      const address = addressIn(request);
      const found = await wikiReader.find(viewer, path, address);
      if (query.action === ACTIONS.edit) return sendEditForm(request, reply, dependencies);
      const view = await openView(request, reply, dependencies);
      if (query.action !== ACTIONS.history) return sendWikiPage(reply, view, found, dependencies);
      const page = parseId(query.page ?? '1') ?? 1;
      const revisions = await wikiReader.revisions(viewer, path, address, page);
      return sendPage(reply, wikiHistoryPage(view, found.page, revisions, page));
    },
  );
}

function files(app: App, dependencies: Dependencies): void {
  const { wikiReader, reading } = dependencies;
  app.route({
    // HEAD is stated here: Fastify's own would open the file and discard its bytes.
    method: ['GET', 'HEAD'],
    url: '/:owner/:repo/wiki/raw/*',
    config,
    schema: { params: ParamsAndRest, querystring: Query },
    handler: async (request, reply) => {
      const open = await wikiReader.openFiles(request.viewer, pathOf(request.params));
      const { '*': path } = request.params as { '*': string };
      return sendFile(request, reply, await reading.openRaw({ ...open, path }));
    },
  });
}

function pathOf({ owner, repo }: { owner: string; repo: string }): RepositoryPath {
  return { owner, name: repo };
}

async function openView(
  request: FastifyRequest,
  reply: FastifyReply,
  { repositories, addresses }: Dependencies,
): Promise<TrackerView> {
  const path = pathOf(request.params as { owner: string; repo: string });
  const permitted = await repositories.get(request.viewer, path, WIKI.read);
  return viewOf(request, reply, { permitted, addresses });
}

/** The wiki is on another server, which a user has named: a reader decides whether to go there. */
function externalPage({ permitted }: TrackerView, url: string): { title: string; body: Html } {
  const body = html`${repositoryHeader(permitted, 'wiki')}
<h1>Wiki</h1>
<p>This wiki is at <a href="${url}" rel="nofollow noopener noreferrer">${url}</a>.</p>`;
  return { title: wikiTitle(permitted.repository, 'Wiki'), body };
}

async function sendWikiPage(
  reply: FastifyReply,
  view: TrackerView,
  found: FoundPage,
  { markdown, wikiReader }: Dependencies,
): Promise<FastifyReply> {
  const { repository, snapshot, page } = found;
  const info = await snapshot.objects.info(page.blob);
  const blobBytesMax = WEB_LIMITS.wikiPageBytesMax;
  const isShown = info !== undefined && info.sizeBytes <= blobBytesMax;
  const content = isShown ? await snapshot.objects.readBlob(page.blob, { blobBytesMax }) : undefined;
  const { sidebar, footer } = await wikiReader.asidesOf(found);
  const texts = [content, sidebar, footer].map((bytes) => Buffer.from(bytes ?? []).toString());
  // Relative links lead to pages and files of the wiki.
  const request = { mode: 'wiki', context: repositoryPath(repository) } as const;
  const [text = html``, aside = html``, end = html``] = await markdownTexts(
    markdown,
    view.viewer,
    texts,
    request,
  );
  const raw = html`<p>This page is too large to be shown. <a href="${wikiPath(repository)}/raw/${encodeURIComponent(page.file)}">Raw file</a></p>`;
  const beside =
    sidebar.length === 0 ? contentsPart(view, found, page) : html`<div class="small">${aside}</div>`;
  const body = html`<div class="columns"><div class="stack">${content === undefined ? raw : text}
${footer.length === 0 ? html`` : html`<footer class="quiet"><hr>${end}</footer>`}</div>
<aside aria-label="Wiki">${beside}</aside></div>`;
  return sendPage(reply, {
    title: wikiTitle(repository, page.title),
    body: wikiFrame(view, page.title, body, pageLinks(view, page)),
  });
}
