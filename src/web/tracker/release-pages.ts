import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Viewer } from '../../api/access/viewer.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { PermittedRepository, RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import { sendPage } from '../../http/pages/page.ts';
import type { Markdown } from '../../tracker/markdown/service.ts';
import { RELEASE } from '../../tracker/releases/actions.ts';
import type { Release } from '../../tracker/releases/model.ts';
import { releaseAddresses } from '../../tracker/releases/present.ts';
import type { Releases } from '../../tracker/releases/service.ts';
import { repositoryPath } from '../addresses.ts';
import { feedLinks } from '../feeds/feed-document.ts';
import { WEB_LIMITS } from '../limits.ts';
import { icon } from '../parts/icons.ts';
import { emptyHtml, pagerHtml } from '../parts/lists.ts';
import { markdownTexts } from '../parts/markdown.ts';
import { repositoryHeader } from '../parts/repository-header.ts';
import { mayChange, type TrackerView, viewOf } from './parts/view.ts';
import { releaseBox, releasesPath } from './release-parts.ts';

interface Dependencies {
  readonly releases: Releases;
  readonly repositories: Repositories;
  readonly markdown: Markdown;
  readonly addresses: Addresses;
}

const InRepository = { owner: Type.String(), repo: Type.String() };
const Query = Type.Object({ q: Type.Optional(Type.String()), page: Type.Optional(Type.String()) });
const SEE_OTHER = 303;

/** Registers the pages of releases, to which their records link. */
export function releasePages(app: App, dependencies: Dependencies): void {
  const { releases, repositories, addresses } = dependencies;
  const config = { action: RELEASE.read };
  const params = Type.Object(InRepository);
  app.get(
    '/:owner/:repo/releases',
    { config, schema: { params, querystring: Query } },
    async (request, reply) => {
      const { q = '', page: text = '1' } = request.query;
      return sendReleases(request, reply, { q, page: parseId(text) ?? 1 }, dependencies);
    },
  );
  app.get('/:owner/:repo/releases/latest', { config, schema: { params } }, async (request, reply) => {
    const latest = await releases.latest(request.viewer, pathOf(request));
    return reply.redirect(releaseAddresses(latest, addresses).htmlUrl, SEE_OTHER);
  });
  app.get(
    '/:owner/:repo/releases/tag/*',
    { config, schema: { params: Type.Object({ ...InRepository, '*': Type.String() }) } },
    async (request, reply) => {
      const path = pathOf(request);
      const release = await releases.getByTag(request.viewer, path, request.params['*']);
      const permitted = await repositories.get(request.viewer, path, RELEASE.read);
      const view = viewOf(request, reply, { permitted, addresses });
      const [rendered = html``] = await textsOf(request.viewer, permitted, [release], dependencies);
      const { owner, name } = release.repository;
      return sendPage(reply, {
        title: `${release.title} · ${owner.name}/${name}`,
        body: html`${repositoryHeader(permitted, 'releases')}
<div class="stack"><h1 class="sr-only">${release.title}</h1>
${releaseBox(view, release, rendered)}<p><a href="${releasesPath(release.repository)}">All releases</a></p></div>`,
      });
    },
  );
}

function pathOf({ params }: FastifyRequest): RepositoryPath {
  const { owner, repo } = params as { owner: string; repo: string };
  return { owner, name: repo };
}

async function sendReleases(
  request: FastifyRequest,
  reply: FastifyReply,
  { q, page }: { readonly q: string; readonly page: number },
  dependencies: Dependencies,
): Promise<FastifyReply> {
  const { releases, repositories, addresses } = dependencies;
  const path = pathOf(request);
  const filter = { isDraft: undefined, isPrerelease: undefined, text: q.trim() };
  const limit = WEB_LIMITS.releasesPageItemsMax;
  const list = await releases.list(request.viewer, path, filter, { page, limit });
  const permitted = await repositories.get(request.viewer, path, RELEASE.read);
  const view = viewOf(request, reply, { permitted, addresses });
  const texts = await textsOf(request.viewer, permitted, list.items, dependencies);
  const boxes = list.items.map((release, index) => releaseBox(view, release, texts[index] ?? html``));
  const where = repositoryPath(permitted.repository);
  const at = releasesPath(permitted.repository);
  const name = `${permitted.repository.owner.name}/${permitted.repository.name}`;
  return sendPage(reply, {
    title: `Releases · ${name}`,
    head: feedLinks(`Releases of ${name}`, `${where}/releases`),
    body: html`${repositoryHeader(permitted, 'releases')}
<div class="stack"><div class="row"><h1>Releases</h1><span class="end row"><a class="button" href="${where}/tags">${icon('tag')}Tags</a>${newLink(view)}</span></div>
<form class="filters" action="${at}" role="search"><label class="words"><span class="sr-only">Words</span><input type="search" name="q" value="${q}" placeholder="Part of a title or a tag" maxlength="255"></label><button>${icon('search')}Search</button></form>
${boxes.length === 0 ? emptyPart(view, q) : html`${boxes}`}${pagerHtml(q === '' ? at : `${at}?q=${encodeURIComponent(q)}`, { page, hasNext: page * limit < list.total })}</div>`,
  });
}

function newLink(view: TrackerView): Html {
  return mayChange(view, RELEASE.create)
    ? html`<a class="button primary" href="${releasesPath(view.permitted.repository)}/new">${icon('plus')}New release</a>`
    : html``;
}

function emptyPart(view: TrackerView, q: string): Html {
  const path = releasesPath(view.permitted.repository);
  if (q !== '') return emptyHtml('No release matches', html`<a href="${path}">Show all</a>`);
  return emptyHtml('No release yet', 'A release is a version with notes and files for people who use it.');
}

/** Renders the texts of releases, each cut at a length. */
function textsOf(
  viewer: Viewer,
  { repository }: PermittedRepository,
  releases: readonly Release[],
  { markdown }: Dependencies,
): Promise<readonly Html[]> {
  const charsMax = WEB_LIMITS.releasePageCharsMax;
  const texts = releases.map(({ body }) => (body.length > charsMax ? `${body.slice(0, charsMax)}…` : body));
  return markdownTexts(markdown, viewer, texts, { mode: 'gfm', context: repositoryPath(repository) });
}
