import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { REPOSITORY } from '../repositories/actions.ts';
import { RepositoryAnswer } from '../repositories/present.ts';
import { CreateForkBody } from './schema.ts';
import type { Forks } from './service.ts';
import type { ForkSync } from './sync.ts';
import { syncRoutes } from './sync-routes.ts';

interface Dependencies {
  readonly forks: Forks;
  readonly forkSync: ForkSync;
  readonly addresses: Addresses;
}

export function forkRoutes(app: App, { forks, forkSync, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });
  syncRoutes(api, { forkSync });

  api.list('/repos/:owner/:repo/forks', REPOSITORY.read, {
    id: 'listForks',
    summary: 'List the forks of a repository that you may see',
    answer: RepositoryAnswer,
    handle: ({ viewer, path, paging }) => forks.list(viewer, path, paging),
  });

  api.post('/repos/:owner/:repo/forks', REPOSITORY.fork, {
    id: 'createFork',
    summary: 'Fork a repository',
    failures: ['conflict'],
    body: CreateForkBody,
    status: 202,
    answer: RepositoryAnswer,
    handle: ({ viewer, path, body }) => forks.create(viewer, path, body),
  });
}
