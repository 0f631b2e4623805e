import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { searchWire } from '../../http/errors/gitea.ts';
import { answerError } from '../../http/errors/wire.ts';
import { RepositoryAnswer } from '../repositories/present.ts';
import type { Repositories } from '../repositories/service.ts';
import { REPOSITORY_SEARCH } from './actions.ts';
import { selectionOf } from './options.ts';
import { SearchQuery, SearchResults } from './schema.ts';

const NOTHING = { items: [], total: 0 };

interface Dependencies {
  readonly repositories: Repositories;
  readonly addresses: Addresses;
}

export function searchRoutes(app: App, { repositories, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });
  const wire = searchWire(addresses);

  api.list('/repos/search', REPOSITORY_SEARCH.search, {
    id: 'repoSearch',
    summary: 'Search for repositories',
    failures: ['invalid'],
    query: SearchQuery,
    answer: RepositoryAnswer,
    envelope: { shape: SearchResults, around: (data) => ({ ok: true, data }) },
    options: { errorHandler: (error, request, reply) => answerError(wire, error, request, reply) },
    async handle({ viewer, query, paging, reply }) {
      const selection = selectionOf(viewer, query);
      const page =
        selection === undefined ? NOTHING : await repositories.lists.select(viewer, selection, paging);
      // Unlike in other lists, the header always names both, in this order. A failed search does not have it.
      reply.header('access-control-expose-headers', 'X-Total-Count, Link');
      return page;
    },
  });
}
