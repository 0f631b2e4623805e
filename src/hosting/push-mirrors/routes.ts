import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { PUSH_MIRROR } from './actions.ts';
import { pushMirrorOf } from './options.ts';
import { PushMirrorAnswer } from './present.ts';
import { CreatePushMirrorBody } from './schema.ts';
import type { PushMirrors } from './service.ts';

const PUSH_MIRRORS_URL = '/repos/:owner/:repo/push_mirrors';

interface Dependencies {
  readonly pushMirrors: PushMirrors;
  readonly addresses: Addresses;
}

export function pushMirrorRoutes(app: App, { pushMirrors, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  api.list(PUSH_MIRRORS_URL, PUSH_MIRROR.read, {
    id: 'repoListPushMirrors',
    summary: 'List the push mirrors of a repository, as one of its administrators',
    answer: PushMirrorAnswer,
    handle: ({ viewer, path, paging }) => pushMirrors.list(viewer, path, paging),
  });

  api.post(PUSH_MIRRORS_URL, PUSH_MIRROR.change, {
    id: 'repoAddPushMirror',
    summary:
      'Push the branches, tags, notes and large files of a repository to another server, by interval or on each change',
    failures: ['archived', 'bad_request', 'invalid'],
    body: CreatePushMirrorBody,
    status: 200,
    answer: PushMirrorAnswer,
    handle: ({ viewer, path, body }) => pushMirrors.create(viewer, path, () => pushMirrorOf(body)),
  });

  api.get(`${PUSH_MIRRORS_URL}/:name`, PUSH_MIRROR.read, {
    id: 'repoGetPushMirrorByRemoteName',
    summary: 'Get a push mirror by its remote name',
    answer: PushMirrorAnswer,
    handle: ({ viewer, path, params }) => pushMirrors.get(viewer, path, params.name),
  });

  api.delete(`${PUSH_MIRRORS_URL}/:name`, PUSH_MIRROR.change, {
    id: 'repoDeletePushMirror',
    summary: 'Stop pushing to another server: what is there stays',
    failures: ['archived'],
    handle: ({ viewer, path, params }) => pushMirrors.delete(viewer, path, params.name),
  });

  api.post('/repos/:owner/:repo/push_mirrors-sync', PUSH_MIRROR.change, {
    id: 'repoPushMirrorSync',
    summary: 'Update all push mirrors of a repository: the update begins soon',
    failures: ['archived'],
    status: 200,
    handle: ({ viewer, path }) => pushMirrors.sync(viewer, path),
  });
}
