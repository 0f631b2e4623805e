import type { FastifyRequest } from 'fastify';
import { operationsOn } from '../../api/operations/operations.ts';
import { type Page, pagingOf } from '../../base/core/paging.ts';
import type { Addresses, App } from '../../http/app.ts';
import { recordTag, requireMatch } from '../../http/conditional.ts';
import { PagingQuery, setPagingHeaders } from '../../http/paging.ts';
import { STATUS } from './actions.ts';
import type { CommitStatus } from './model.ts';
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
    failures: ['archived', 'invalid', 'precondition_failed'],
    body: CreateStatusBody,
    status: 201,
    answer: StatusAnswer,
    handle({ viewer, path, params, body, request }) {
      const requireCurrent = listRequired(request, addresses);
      return statuses.create(viewer, path, params.sha, { ...newStatusOf(body), requireCurrent });
    },
  });

  api.list('/repos/:owner/:repo/statuses/:sha', STATUS.list, {
    id: 'repoListStatuses',
    isTagged: true,
    summary: 'List the statuses of a commit, latest first',
    query: StatusQuery,
    answer: StatusAnswer,
    handle: ({ viewer, path, params, query, paging }) =>
      statuses.list(viewer, path, { name: params.sha, filter: statusFilterOf(query), paging }),
  });

  api.list('/repos/:owner/:repo/commits/:ref/statuses', STATUS.list, {
    id: 'repoListStatusesByRef',
    isTagged: true,
    summary: 'List the statuses of the commit at a branch or tag, latest first',
    query: StatusQuery,
    answer: StatusAnswer,
    handle: ({ viewer, path, params, query, paging }) =>
      statuses.list(viewer, path, { name: params.ref, filter: statusFilterOf(query), paging }),
  });

  api.get('/repos/:owner/:repo/commits/:ref/status', STATUS.list, {
    id: 'repoGetCombinedStatusByRef',
    isTagged: true,
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

/** Returns the check of `If-Match`, which names the first page of the list; undefined without this header. */
function listRequired(request: FastifyRequest, addresses: Addresses) {
  if (request.headers['if-match'] === undefined) return undefined;
  return ({ items, total }: Page<CommitStatus>) => {
    const records = items.map((status) => StatusAnswer.present(status, request.viewer, addresses));
    requireMatch(request, recordTag(records, total));
  };
}
