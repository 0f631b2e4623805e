import { Type } from 'typebox';
import { asIs } from '../../api/operations/answers.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { ADOPTION } from './actions.ts';
import type { Adoption } from './service.ts';

export function adoptionRoutes(
  app: App,
  { adoption, addresses }: { adoption: Adoption; addresses: Addresses },
): void {
  const api = operationsOn(app, { tag: 'admin', addresses });

  api.list('/admin/unadopted', ADOPTION.list, {
    id: 'adminUnadoptedList',
    summary: 'List bare repositories in the data folder that are not adopted, as `owner/name`',
    failures: ['invalid', 'too_large'],
    query: { pattern: Type.Optional(Type.String()) },
    answer: asIs(Type.String()),
    handle: ({ query, paging }) => adoption.list(query.pattern ?? '', paging),
  });

  api.post('/admin/unadopted/:owner/:repo', ADOPTION.change, {
    id: 'adminAdoptRepository',
    summary: 'Make a bare repository in the data folder a private repository of its owner, with its wiki',
    failures: ['invalid', 'too_large'],
    handle: ({ viewer, path }) => adoption.adopt(viewer, path),
  });

  api.delete('/admin/unadopted/:owner/:repo', ADOPTION.change, {
    id: 'adminDeleteUnadoptedRepository',
    summary: 'Delete a bare repository in the data folder that is not adopted, and its wiki',
    failures: ['not_found'],
    handle: ({ viewer, path }) => adoption.delete(viewer, path),
  });
}
