import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { notFound } from '../../base/core/failure.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf, isChecked, longTextOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { sendPage } from '../../http/pages/page.ts';
import { RELEASE } from '../../tracker/releases/actions.ts';
import type { ReleaseAssets } from '../../tracker/releases/assets/service.ts';
import type { ReleaseChanges } from '../../tracker/releases/changes.ts';
import type { Release, ReleaseFields } from '../../tracker/releases/model.ts';
import type { Releases } from '../../tracker/releases/service.ts';
import { signedIn } from '../forms/form-parts.ts';
import { problemOf } from '../forms/problems.ts';
import { WEB_LIMITS } from '../limits.ts';
import { type TrackerView, viewOf } from './parts/view.ts';
import { releaseFormPage, releasePath, releasesPath } from './release-parts.ts';

export interface ReleaseFormServices {
  readonly releases: Releases;
  readonly releaseChanges: ReleaseChanges;
  readonly releaseAssets: ReleaseAssets;
  readonly repositories: Repositories;
  readonly addresses: Addresses;
}

const InRepository = { owner: Type.String(), repo: Type.String() };
const Params = Type.Object(InRepository);
const One = Type.Object({ ...InRepository, id: Type.String() });
const OneAsset = Type.Object({ ...InRepository, id: Type.String(), asset: Type.String() });
const Query = Type.Object({ tag: Type.Optional(Type.String()) });
const SEE_OTHER = 303;
const bodyLimit = WEB_LIMITS.textFormBytesMax;

/** Registers the pages on which people write releases. */
export function releaseFormPages(app: App, dependencies: ReleaseFormServices): void {
  newRelease(app, dependencies);
  editedRelease(app, dependencies);
  deletions(app, dependencies);
}

export function pathOf({ params }: FastifyRequest): RepositoryPath {
  const { owner, repo } = params as { owner: string; repo: string };
  return { owner, name: repo };
}

/** Returns the release that a form is about. @throws ForgeError as `Releases.get` */
export async function openRelease(
  request: FastifyRequest,
  reply: FastifyReply,
  { releases, repositories, addresses }: ReleaseFormServices,
): Promise<{ readonly view: TrackerView; readonly release: Release }> {
  const path = pathOf(request);
  const permitted = await repositories.get(request.viewer, path, RELEASE.change);
  const id = parseId((request.params as { id: string }).id);
  if (id === undefined) throw notFound('release');
  const release = await releases.get(request.viewer, path, id);
  return { release, view: viewOf(request, reply, { permitted, addresses }) };
}

function fieldsIn(request: FastifyRequest): ReleaseFields {
  return {
    tag: fieldOf(request, 'tag_name').trim(),
    target: fieldOf(request, 'tag_target').trim(),
    title: fieldOf(request, 'title'),
    body: longTextOf(request, 'content'),
    isDraft: isChecked(request, 'draft'),
    isPrerelease: isChecked(request, 'prerelease'),
    hidesArchives: isChecked(request, 'hide_archive_links'),
  };
}

function pageAfter(release: Release): string {
  return release.isDraft ? releasesPath(release.repository) : releasePath(release);
}

function newRelease(app: App, dependencies: ReleaseFormServices): void {
  const { repositories, releaseChanges, addresses } = dependencies;
  const url = '/:owner/:repo/releases/new';
  const open = async (request: FastifyRequest, reply: FastifyReply) => {
    const permitted = await repositories.get(request.viewer, pathOf(request), RELEASE.create);
    if (!permitted.repository.units.hasReleases) throw notFound('release');
    return viewOf(request, reply, { permitted, addresses });
  };
  app.get(
    url,
    { config: { action: RELEASE.create }, schema: { params: Params, querystring: Query } },
    async (request, reply) => {
      const view = await open(request, reply);
      const { tag = '' } = request.query;
      const target = view.permitted.repository.defaultBranch;
      const texts = { tag, target, title: '', body: '' };
      const fields = { ...texts, isDraft: false, isPrerelease: false, hidesArchives: false };
      return sendPage(reply, releaseFormPage(view, undefined, fields));
    },
  );
  const config = { action: RELEASE.create, isForm: true } as const;
  app.post(url, { bodyLimit, config, schema: { params: Params } }, async (request, reply) => {
    const view = await open(request, reply);
    try {
      const created = await releaseChanges.create(signedIn(request), pathOf(request), fieldsIn(request));
      return reply.redirect(localAddress(pageAfter(created), addresses), SEE_OTHER);
    } catch (error) {
      const problem = problemOf(error, reply);
      if (problem === undefined) throw error;
      return sendPage(reply, releaseFormPage(view, undefined, fieldsIn(request), problem));
    }
  });
}

function editedRelease(app: App, dependencies: ReleaseFormServices): void {
  const { releaseChanges, addresses } = dependencies;
  const url = '/:owner/:repo/releases/:id/edit';
  app.get(url, { config: { action: RELEASE.change }, schema: { params: One } }, async (request, reply) => {
    const { view, release } = await openRelease(request, reply, dependencies);
    return sendPage(reply, releaseFormPage(view, release, release));
  });
  const config = { action: RELEASE.change, isForm: true } as const;
  app.post(url, { bodyLimit, config, schema: { params: One } }, async (request, reply) => {
    const { view, release } = await openRelease(request, reply, dependencies);
    const edit = fieldsIn(request);
    try {
      const named = { id: release.id, edit };
      const changed = await releaseChanges.edit(signedIn(request), pathOf(request), named, () => {});
      return reply.redirect(localAddress(pageAfter(changed), addresses), SEE_OTHER);
    } catch (error) {
      const problem = problemOf(error, reply);
      if (problem === undefined) throw error;
      return sendPage(reply, releaseFormPage(view, release, edit, problem));
    }
  });
}

function deletions(app: App, dependencies: ReleaseFormServices): void {
  const { releaseChanges, releaseAssets, addresses } = dependencies;
  app.post(
    '/:owner/:repo/releases/:id/delete',
    { config: { action: RELEASE.delete, isForm: true }, schema: { params: One } },
    async (request, reply) => {
      const { view, release } = await openRelease(request, reply, dependencies);
      try {
        await releaseChanges.delete(signedIn(request), pathOf(request), { id: release.id }, () => {});
        return reply.redirect(localAddress(releasesPath(release.repository), addresses), SEE_OTHER);
      } catch (error) {
        const problem = problemOf(error, reply);
        if (problem === undefined) throw error;
        return sendPage(reply, releaseFormPage(view, release, release, problem));
      }
    },
  );
  app.post(
    '/:owner/:repo/releases/:id/assets/:asset/delete',
    { config: { action: RELEASE.change, isForm: true }, schema: { params: OneAsset } },
    async (request, reply) => {
      const { release } = await openRelease(request, reply, dependencies);
      const asset = { path: pathOf(request), releaseId: release.id, id: request.params.asset };
      await releaseAssets.delete(signedIn(request), asset, () => {});
      const to = `${releasesPath(release.repository)}/${release.id}/edit`;
      return reply.redirect(localAddress(to, addresses), SEE_OTHER);
    },
  );
}
