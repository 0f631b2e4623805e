import { pagingOf } from '../core/paging.ts';
import type { Addresses, App } from '../http/app.ts';
import { searchWire } from '../http/errors/gitea.ts';
import { answerError } from '../http/errors/wire.ts';
import { setPagingHeaders } from '../http/paging.ts';
import { reference } from '../http/shapes.ts';
import { presentRepository } from '../repositories/present.ts';
import type { Repositories } from '../repositories/service.ts';
import { REPOSITORY_SEARCH } from './actions.ts';
import { selectionOf } from './options.ts';
import { SearchQuery, SearchResultsSchema } from './schema.ts';

const NOTHING = { items: [], total: 0 };

export function searchRoutes(
  app: App,
  dependencies: { repositories: Repositories; addresses: Addresses },
): void {
  const { repositories, addresses } = dependencies;
  const wire = searchWire(addresses);

  app.get(
    '/repos/search',
    {
      config: { action: REPOSITORY_SEARCH.search },
      schema: {
        tags: ['repository'],
        summary: 'Search for repositories',
        querystring: SearchQuery,
        response: { 200: reference(SearchResultsSchema) },
      },
      errorHandler: (error, request, reply) => answerError(wire, error, request, reply),
    },
    async (request, reply) => {
      const { viewer, query } = request;
      const paging = pagingOf(query);
      const selection = selectionOf(viewer, query);
      const { items, total } =
        selection === undefined ? NOTHING : await repositories.list(viewer, selection, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      // Whatever there is to be read: this list has always said both, and in this order.
      reply.header('access-control-expose-headers', 'X-Total-Count, Link');
      return { ok: true, data: items.map((held) => presentRepository(held, viewer, addresses)) };
    },
  );
}
