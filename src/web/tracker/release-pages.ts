import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Page } from '../../base/core/paging.ts';
import { asWritten, html } from '../../base/core/text/html.ts';
import type { Repository, RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Addresses, App } from '../../http/app.ts';
import { sendPage } from '../../http/pages/page.ts';
import { wireTime } from '../../http/time.ts';
import { RELEASE } from '../../tracker/releases/actions.ts';
import { assetUrl } from '../../tracker/releases/assets/present.ts';
import type { Release } from '../../tracker/releases/model.ts';
import { releaseAddresses } from '../../tracker/releases/present.ts';
import type { Releases } from '../../tracker/releases/service.ts';
import { breadcrumbs } from '../code/repository-page.ts';
import { WEB_LIMITS } from '../limits.ts';

interface Dependencies {
  readonly releases: Releases;
  readonly addresses: Addresses;
}

const InRepository = { owner: Type.String(), repo: Type.String() };
const SEE_OTHER = 303;
const ALL = { isDraft: undefined, isPrerelease: undefined, text: '' };
const FIRST_PAGE = { page: 1, limit: WEB_LIMITS.releasesPageItemsMax };

/** Registers the pages of releases, to which their records link. */
export function releasePages(app: App, { releases, addresses }: Dependencies): void {
  const config = { action: RELEASE.read };
  const schema = { params: Type.Object(InRepository) };
  app.get('/:owner/:repo/releases', { config, schema }, async (request, reply) => {
    const path = pathOf(request);
    const { repository, page } = await releases.page(request.viewer, path, ALL, FIRST_PAGE);
    return sendPage(reply, releasesPage(repository, page, addresses));
  });
  app.get('/:owner/:repo/releases/latest', { config, schema }, async (request, reply) => {
    const latest = await releases.latest(request.viewer, pathOf(request));
    return reply.redirect(releaseAddresses(latest, addresses).htmlUrl, SEE_OTHER);
  });
  app.get(
    '/:owner/:repo/releases/tag/*',
    { config, schema: { params: Type.Object({ ...InRepository, '*': Type.String() }) } },
    async (request, reply) => {
      const tag = request.params['*'];
      const release = await releases.getByTag(request.viewer, pathOf(request), tag);
      const { owner, name } = release.repository;
      const title = `${release.title} · ${owner.name}/${name}`;
      const body = html`${breadcrumbs(release.repository)}
${releasePart(release, addresses)}`;
      return sendPage(reply, { title, body });
    },
  );
}

function pathOf({ params }: FastifyRequest): RepositoryPath {
  const { owner, repo } = params as { owner: string; repo: string };
  return { owner, name: repo };
}

function releasesPage(repository: Repository, { items, total }: Page<Release>, addresses: Addresses) {
  const rest = total - items.length;
  const body = html`${breadcrumbs(repository)}
<h1>Releases</h1>
${items.map((release) => releasePart(release, addresses))}
${rest > 0 ? html`<p>and ${rest} more</p>` : ''}`;
  return { title: `Releases · ${repository.owner.name}/${repository.name}`, body };
}

function releasePart(release: Release, addresses: Addresses) {
  const { title, tag, body, author, publishedAt, assets, hidesArchives } = release;
  const { htmlUrl, archiveUrl } = releaseAddresses(release, addresses);
  const charsMax = WEB_LIMITS.releasePageCharsMax;
  const text = body.length > charsMax ? `${body.slice(0, charsMax)}…` : body;
  const archives = ['zip', 'tar.gz'].map(
    (format) => html`<li><a href="${`${archiveUrl}.${format}`}">Source code (${format})</a></li>\n`,
  );
  return html`<article>
<h2>${release.isDraft ? title : html`<a href="${htmlUrl}">${title}</a>`}</h2>
<p>${kindOf(release)} ${tag}, by ${author?.name ?? 'Ghost'} at ${wireTime(publishedAt)}</p>
<pre>${asWritten(text)}</pre>
<ul>
${assets.map((asset) => html`<li><a href="${assetUrl(asset, release, addresses)}">${asset.name}</a></li>\n`)}${hidesArchives || release.isDraft ? '' : archives}</ul>
</article>
`;
}

function kindOf({ isDraft, isPrerelease }: Release): string {
  if (isDraft) return 'Draft of';
  return isPrerelease ? 'Prerelease' : 'Release';
}
