import { Type } from 'typebox';
import { asIs } from '../../api/operations/answers.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { FLAG } from './actions.ts';
import { ReplaceFlagsBody } from './schema.ts';
import type { Flags } from './service.ts';

const FLAGS_URL = '/repos/:owner/:repo/flags';

export function flagRoutes(app: App, { flags, addresses }: { flags: Flags; addresses: Addresses }): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  api.list(FLAGS_URL, FLAG.read, {
    id: 'repoListFlags',
    summary: 'List the flags of a repository, as a site administrator, with `--repository-flags`',
    answer: asIs(Type.String()),
    handle: ({ viewer, path, paging }) => flags.list(viewer, path, paging),
  });

  api.put(FLAGS_URL, FLAG.change, {
    id: 'repoReplaceAllFlags',
    summary: 'Replace all flags of a repository, as a site administrator, with `--repository-flags`',
    body: ReplaceFlagsBody,
    handle: ({ viewer, path, body }) => flags.replace(viewer, path, body.flags),
  });

  api.delete(FLAGS_URL, FLAG.change, {
    id: 'repoDeleteAllFlags',
    summary: 'Remove all flags of a repository, as a site administrator, with `--repository-flags`',
    handle: ({ viewer, path }) => flags.replace(viewer, path, []),
  });

  api.get(`${FLAGS_URL}/:flag`, FLAG.read, {
    id: 'repoCheckFlag',
    summary:
      'Check whether a repository has a flag, as a site administrator, with `--repository-flags`: 204 or 404',
    handle: ({ viewer, path, params }) => flags.require(viewer, path, params.flag),
  });

  api.put(`${FLAGS_URL}/:flag`, FLAG.change, {
    id: 'repoAddFlag',
    summary: 'Add a flag to a repository, as a site administrator, with `--repository-flags`',
    failures: ['invalid'],
    handle: ({ viewer, path, params }) => flags.add(viewer, path, params.flag),
  });

  api.delete(`${FLAGS_URL}/:flag`, FLAG.change, {
    id: 'repoDeleteFlag',
    summary: 'Remove a flag of a repository, as a site administrator, with `--repository-flags`',
    handle: ({ viewer, path, params }) => flags.remove(viewer, path, params.flag),
  });
}
