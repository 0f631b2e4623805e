import { Type } from 'typebox';
import type { SignedIn } from '../../access/viewer.ts';
import { presentUser } from '../../accounts/present.ts';
import { UserSchema } from '../../accounts/schema.ts';
import { pagingOf } from '../../core/paging.ts';
import type { Addresses, App } from '../../http/app.ts';
import { PagingQuery, setPagingHeaders } from '../../http/paging.ts';
import { reference } from '../../http/shapes.ts';
import { REPOSITORY } from '../actions.ts';
import { RepositoryParams } from '../schema.ts';
import type { Repositories } from '../service.ts';

/** Who can be asked to take part in a repository. */
export function assignableRoutes(
  app: App,
  { repositories, addresses }: { repositories: Repositories; addresses: Addresses },
): void {
  const schema = {
    tags: ['repository'],
    params: RepositoryParams,
    querystring: Type.Object(PagingQuery),
    response: { 200: Type.Array(reference(UserSchema)) },
  };

  app.get(
    '/repos/:owner/:repo/assignees',
    {
      config: { action: REPOSITORY.listAssignable },
      schema: { ...schema, summary: 'List who can be given an issue or a pull request' },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      const paging = pagingOf(request.query);
      const viewer = request.viewer as SignedIn;
      const { items, total } = await repositories.listAssignees(viewer, { owner, name: repo }, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((account) => presentUser(account, viewer, addresses));
    },
  );

  app.get(
    '/repos/:owner/:repo/reviewers',
    {
      config: { action: REPOSITORY.listAssignable },
      schema: { ...schema, summary: 'List who can be asked for a review' },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      const paging = pagingOf(request.query);
      const viewer = request.viewer as SignedIn;
      const { items, total } = await repositories.listReviewers(viewer, { owner, name: repo }, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((account) => presentUser(account, viewer, addresses));
    },
  );
}
