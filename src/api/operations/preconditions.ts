import type { FastifyRequest } from 'fastify';
import type { Page } from '../../base/core/paging.ts';
import type { Addresses } from '../../http/app.ts';
import { recordTag, requireMatch } from '../../http/conditional.ts';
import type { Answer } from './answers.ts';

/** The checks of `If-Match` in requests that change models which this answer shows. */
export function preconditionsOn<Model>(answer: Answer<Model>, addresses: Addresses) {
  const recordOf = (request: FastifyRequest, model: Model) =>
    answer.present(model, request.viewer, addresses);
  return {
    /** Checks the tag of one record. */
    required: (request: FastifyRequest) => (current: Model) =>
      requireMatch(request, recordTag(recordOf(request, current))),
    /** Checks the tag of the first page of the list; undefined if the request has no `If-Match`. */
    listRequired: (request: FastifyRequest) =>
      request.headers['if-match'] === undefined
        ? undefined
        : ({ items, total }: Page<Model>) => {
            const records = items.map((each) => recordOf(request, each));
            requireMatch(request, recordTag(records, total));
          },
  };
}
