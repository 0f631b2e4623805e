import { operationsOn } from '../access/operations.ts';
import { pagingOf } from '../core/paging.ts';
import type { Addresses, App } from '../http/app.ts';
import { PagingQuery, setPagingHeaders } from '../http/paging.ts';
import { STATUS } from './actions.ts';
import { newStatusOf, statusFilterOf } from './options.ts';
import { CombinedStatusAnswer, StatusAnswer } from './present.ts';
import { CreateStatusBody, StatusQuery } from './schema.ts';
import type { Statuses } from './service.ts';

interface Dependencies {
  readonly statuses: Statuses;
  readonly addresses: Addresses;
}

export function statusRoutes(app: App, { statuses, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  api.post('/repos/:owner/:repo/statuses/:sha', STATUS.create, {
    id: 'repoCreateStatus',
    summary: 'Add a status to a commit',
    failures: ['invalid'],
    body: CreateStatusBody,
    status: 201,
    answer: StatusAnswer,
    handle: ({ viewer, path, params, body }) => statuses.create(viewer, path, params.sha, newStatusOf(body)),
  });

  api.list('/repos/:owner/:repo/statuses/:sha', STATUS.list, {
    id: 'repoListStatuses',
    summary: 'List the statuses of a commit, latest first',
    query: StatusQuery,
    answer: StatusAnswer,
    handle: ({ viewer, path, params, query, paging }) =>
      statuses.list(viewer, path, { name: params.sha, filter: statusFilterOf(query), paging }),
  });

  api.list('/repos/:owner/:repo/commits/:ref/statuses', STATUS.list, {
    id: 'repoListStatusesByRef',
    summary: 'List the statuses of the commit at a branch or tag, latest first',
    query: StatusQuery,
    answer: StatusAnswer,
    handle: ({ viewer, path, params, query, paging }) =>
      statuses.list(viewer, path, { name: params.ref, filter: statusFilterOf(query), paging }),
  });

  api.get('/repos/:owner/:repo/commits/:ref/status', STATUS.list, {
    id: 'repoGetCombinedStatusByRef',
    summary: 'Get the latest status of each context of a commit, and their combined state',
    query: PagingQuery,
    answer: CombinedStatusAnswer,
    async handle({ viewer, path, params, query, request, reply }) {
      const paging = pagingOf(query);
      const combined = await statuses.combine(viewer, path, { name: params.ref, paging });
      setPagingHeaders(request, reply, addresses, { paging, total: combined.total });
      return combined;
    },
  });
}
