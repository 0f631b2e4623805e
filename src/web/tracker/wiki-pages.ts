import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { Viewer } from '../../api/access/viewer.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import { sendFile } from '../../code/contents/raw/raw.ts';
import type { ContentsReader } from '../../code/contents/read.ts';
import { addressIn } from '../../code/wiki-pages/address.ts';
import type { FoundPage, OpenWiki } from '../../code/wiki-pages/model.ts';
import { HOME } from '../../code/wiki-pages/names.ts';
import type { WikiReader } from '../../code/wiki-pages/read.ts';
import type { PermittedRepository, Repository, RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { WIKI } from '../../hosting/wikis/actions.ts';
import type { Addresses, App } from '../../http/app.ts';
import { sendPage } from '../../http/pages/page.ts';
import type { Markdown } from '../../tracker/markdown/service.ts';
import { repositoryPath } from '../addresses.ts';
import { answerGo, isForGo } from '../code/go-get.ts';
import { breadcrumbs } from '../code/repository-page.ts';
import { WEB_LIMITS } from '../limits.ts';

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
  'go-get': Type.Optional(Type.String()),
});
const config = { action: WIKI.read };

/** Registers the pages of wikis, and the addresses of the files that they show. */
export function wikiPages(app: App, dependencies: Dependencies): void {
  const { repositories, wikiReader, reading } = dependencies;

  app.get(
    '/:owner/:repo/wiki',
    { config, schema: { params: Params, querystring: Query } },
    async (request, reply) => {
      const { viewer, params, query } = request;
      const path = pathOf(params);
      // A package may have this path, too.
      if (isForGo(query)) return answerGo(request, reply, path, dependencies);
      const permitted = await repositories.get(viewer, path, WIKI.read);
      const elsewhere = externalUrlOf(permitted);
      if (elsewhere !== undefined) return sendPage(reply, externalPage(permitted.repository, elsewhere));
      const { repository, open } = await wikiReader.open(viewer, path);
      const home = query.action === LIST ? undefined : open?.index.find(HOME);
      if (open === undefined || home === undefined) return sendPage(reply, listPage(repository, open));
      return sendWikiPage(reply, viewer, { ...open, page: home }, dependencies);
    },
  );

  app.get(
    '/:owner/:repo/wiki/:pageName',
    {
      config,
      schema: { params: Type.Object({ ...InRepository, pageName: Type.String() }), querystring: Query },
    },
    async (request, reply) => {
      const { viewer, query, params } = request;
      const path = pathOf(params);
      if (isForGo(query)) return answerGo(request, reply, path, dependencies);
      if (query.action === LIST || params.pageName === LIST) {
        const { repository, open } = await wikiReader.open(viewer, path);
        return sendPage(reply, listPage(repository, open));
      }
      const found = await wikiReader.find(viewer, path, addressIn(request));
      return sendWikiPage(reply, viewer, found, dependencies);
    },
  );

  app.route({
    // HEAD is stated here: Fastify's own would open the file and discard its bytes.
    method: ['GET', 'HEAD'],
    url: '/:owner/:repo/wiki/raw/*',
    config,
    schema: { params: ParamsAndRest, querystring: Query },
    handler: async (request, reply) => {
      if (isForGo(request.query)) return answerGo(request, reply, pathOf(request.params), dependencies);
      const open = await wikiReader.openFiles(request.viewer, pathOf(request.params));
      const { '*': path } = request.params as { '*': string };
      return sendFile(request, reply, await reading.openRaw({ ...open, path }));
    },
  });
}

/** Lists all pages, as in the reference. */
const LIST = '_pages';

function pathOf({ owner, repo }: { owner: string; repo: string }): RepositoryPath {
  return { owner, name: repo };
}

function externalUrlOf({ repository: { units } }: PermittedRepository): string | undefined {
  return units.wiki.kind === 'external' ? units.wiki.url : undefined;
}

/** The wiki is on another server, which a user has named: a reader decides whether to go there. */
function externalPage(repository: Repository, url: string): { title: string; body: Html } {
  const body = html`${breadcrumbs(repository)}
<h1>Wiki</h1>
<p>This wiki is at <a href="${url}" rel="nofollow noopener noreferrer">${url}</a>.</p>`;
  return { title: `Wiki · ${titleOf(repository)}`, body };
}

async function sendWikiPage(
  reply: FastifyReply,
  viewer: Viewer,
  found: FoundPage,
  dependencies: Dependencies,
): Promise<FastifyReply> {
  const { repository, snapshot, page } = found;
  const rendered = (bytes: Uint8Array) => renderedText(viewer, repository, bytes, dependencies);
  const info = await snapshot.objects.info(page.blob);
  const blobBytesMax = WEB_LIMITS.wikiPageBytesMax;
  const isShown = info !== undefined && info.sizeBytes <= blobBytesMax;
  const content = isShown ? await snapshot.objects.readBlob(page.blob, { blobBytesMax }) : undefined;
  const { sidebar, footer } = await dependencies.wikiReader.asidesOf(found);
  const wiki = `${repositoryPath(repository)}/wiki`;
  const raw = html`<p><a href="${wiki}/raw/${encodeURIComponent(page.file)}">Raw file</a></p>`;
  const body = html`${breadcrumbs(repository)}
<p><a href="${wiki}">Wiki</a>, <a href="${wiki}?action=${LIST}">all pages</a></p>
<h1>${page.title}</h1>
${content === undefined ? raw : await rendered(content)}
${sidebar.length === 0 ? '' : html`<aside><hr>${await rendered(sidebar)}</aside>`}
${footer.length === 0 ? '' : html`<footer><hr>${await rendered(footer)}</footer>`}`;
  return sendPage(reply, { title: `${page.title} · ${titleOf(repository)}`, body });
}

/** Returns a text as HTML, whose relative links lead to pages and files of the wiki. */
async function renderedText(
  viewer: Viewer,
  repository: Repository,
  bytes: Uint8Array,
  { markdown, addresses }: Dependencies,
): Promise<Html> {
  const context = `${addresses.baseUrl}${repositoryPath(repository)}`;
  const text = Buffer.from(bytes).toString();
  return { html: await markdown.render(viewer, { text, mode: 'wiki', context }) };
}

function listPage(repository: Repository, open: OpenWiki | undefined): { title: string; body: Html } {
  const pages = open?.index.pages ?? [];
  const shown = pages.slice(0, WEB_LIMITS.pageEntriesMax);
  const hidden = pages.length - shown.length;
  const wiki = `${repositoryPath(repository)}/wiki`;
  const items = shown.map(({ title, address }) => html`<li><a href="${wiki}/${address}">${title}</a></li>\n`);
  const body = html`${breadcrumbs(repository)}
<h1>Wiki</h1>
${pages.length === 0 ? html`<p>This wiki has no page yet.</p>` : html`<ul>\n${items}</ul>`}
${hidden > 0 ? html`<p>and ${hidden} more</p>` : ''}`;
  return { title: `Wiki · ${titleOf(repository)}`, body };
}

function titleOf({ owner, name }: Repository): string {
  return `${owner.name}/${name}`;
}
