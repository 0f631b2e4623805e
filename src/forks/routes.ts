import { Type } from 'typebox';
import type { SignedIn } from '../access/viewer.ts';
import { pagingOf } from '../core/paging.ts';
import type { Addresses, App } from '../http/app.ts';
import { PagingQuery, setPagingHeaders } from '../http/paging.ts';
import { reference } from '../http/shapes.ts';
import { REPOSITORY } from '../repositories/actions.ts';
import { presentRepository } from '../repositories/present.ts';
import { RepositoryList, RepositoryParams, RepositorySchema } from '../repositories/schema.ts';
import { CreateForkBody } from './schema.ts';
import type { Forks } from './service.ts';
import type { ForkSync } from './sync.ts';
import { syncRoutes } from './sync-routes.ts';

const tags = ['repository'];

interface Dependencies {
  readonly forks: Forks;
  readonly forkSync: ForkSync;
  readonly addresses: Addresses;
}

export function forkRoutes(app: App, dependencies: Dependencies): void {
  const { forks, addresses } = dependencies;
  syncRoutes(app, dependencies);

  app.get(
    '/repos/:owner/:repo/forks',
    {
      config: { action: REPOSITORY.read },
      schema: {
        tags,
        summary: 'List the forks of a repository that you may see',
        params: RepositoryParams,
        querystring: Type.Object(PagingQuery),
        response: { 200: RepositoryList },
      },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      const paging = pagingOf(request.query);
      const { items, total } = await forks.list(request.viewer, { owner, name: repo }, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((held) => presentRepository(held, request.viewer, addresses));
    },
  );

  app.post(
    '/repos/:owner/:repo/forks',
    {
      config: { action: REPOSITORY.fork },
      schema: {
        tags,
        summary: 'Fork a repository',
        params: RepositoryParams,
        body: CreateForkBody,
        response: { 202: reference(RepositorySchema) },
      },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      const viewer = request.viewer as SignedIn;
      const made = await forks.create(viewer, { owner, name: repo }, request.body);
      return reply.code(202).send(presentRepository(made, viewer, addresses));
    },
  );
}
