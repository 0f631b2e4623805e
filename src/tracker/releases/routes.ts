import { operationsOn } from '../../api/operations/operations.ts';
import { preconditionsOn } from '../../api/operations/preconditions.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { StatusOf } from '../../http/errors/wire.ts';
import { RELEASE } from './actions.ts';
import type { ReleaseChanges } from './changes.ts';
import { newReleaseOf, releaseEditOf, releaseFilterOf } from './options.ts';
import { ReleaseAnswer } from './present.ts';
import { CreateReleaseBody, EditReleaseBody, ReleasesQuery } from './schema.ts';
import type { Releases } from './service.ts';

const RELEASES_URL = '/repos/:owner/:repo/releases';
const RELEASE_URL = `${RELEASES_URL}/:id` as const;
/** A tag may have slashes. */
const TAG_URL = `${RELEASES_URL}/tags/*` as const;

interface Dependencies {
  readonly releases: Releases;
  readonly releaseChanges: ReleaseChanges;
  readonly addresses: Addresses;
}

/** On this wire, a protected tag is a 422. */
const statusOf: StatusOf = (failure) =>
  failure.kind === 'forbidden' && failure.reason === 'protected' ? 422 : undefined;

export function releaseRoutes(app: App, dependencies: Dependencies): void {
  readingRoutes(app, dependencies);
  changingRoutes(app, dependencies);
}

function readingRoutes(app: App, { releases, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });
  const READ = { isTagged: true, answer: ReleaseAnswer } as const;

  api.list(RELEASES_URL, RELEASE.read, {
    ...READ,
    id: 'repoListReleases',
    summary: 'List the releases of a repository, the newest first',
    query: ReleasesQuery,
    handle: ({ viewer, path, query, paging }) => releases.list(viewer, path, releaseFilterOf(query), paging),
  });

  api.get(`${RELEASES_URL}/latest`, RELEASE.read, {
    ...READ,
    id: 'repoGetLatestRelease',
    summary: 'Get the newest release that is neither a draft nor a prerelease',
    handle: ({ viewer, path }) => releases.latest(viewer, path),
  });

  api.get(TAG_URL, RELEASE.read, {
    ...READ,
    id: 'repoGetReleaseByTag',
    summary: 'Get a release by its tag',
    handle: ({ viewer, path, params }) => releases.getByTag(viewer, path, params['*']),
  });

  api.get(RELEASE_URL, RELEASE.read, {
    ...READ,
    id: 'repoGetRelease',
    summary: 'Get a release',
    handle: ({ viewer, path, params }) => releases.get(viewer, path, params.id),
  });
}

function changingRoutes(app: App, { releaseChanges, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });
  const { required, listRequired } = preconditionsOn(ReleaseAnswer, addresses);
  const CHANGED = {
    failures: ['archived', 'conflict', 'invalid', 'precondition_failed'],
    statusOf,
    answer: ReleaseAnswer,
  } as const;
  const DELETED = { failures: ['archived', 'invalid', 'precondition_failed'], statusOf } as const;

  api.post(RELEASES_URL, RELEASE.create, {
    ...CHANGED,
    id: 'repoCreateRelease',
    summary: 'Create a release, and its tag if it does not exist, or a draft',
    body: CreateReleaseBody,
    status: 201,
    handle: ({ viewer, path, body, request }) =>
      releaseChanges.create(viewer, path, newReleaseOf(body), listRequired(request)),
  });

  api.patch(RELEASE_URL, RELEASE.change, {
    ...CHANGED,
    id: 'repoEditRelease',
    summary: 'Change a release, or publish a draft',
    body: EditReleaseBody,
    handle: ({ viewer, path, params: { id }, body, request }) =>
      releaseChanges.edit(viewer, path, { id, edit: releaseEditOf(body) }, required(request)),
  });

  api.delete(TAG_URL, RELEASE.delete, {
    ...DELETED,
    id: 'repoDeleteReleaseByTag',
    summary: 'Delete the release of a tag, without the tag',
    handle: ({ viewer, path, params, request }) =>
      releaseChanges.delete(viewer, path, { tag: params['*'] }, required(request)),
  });

  api.delete(RELEASE_URL, RELEASE.delete, {
    ...DELETED,
    id: 'repoDeleteRelease',
    summary: 'Delete a release, without its tag',
    handle: ({ viewer, path, params: { id }, request }) =>
      releaseChanges.delete(viewer, path, { id }, required(request)),
  });
}
