import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { notFound } from '../../base/core/failure.ts';
import { html } from '../../base/core/text/html.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import { showsUnit } from '../../hosting/repositories/tracker.ts';
import type { Addresses, App } from '../../http/app.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { sendPage } from '../../http/pages/page.ts';
import { ISSUE } from '../../tracker/issues/actions.ts';
import { IssueQuery } from '../../tracker/issues/schema.ts';
import { MILESTONE } from '../../tracker/milestones/actions.ts';
import { repositoryPath } from '../addresses.ts';
import { repositoryHeader } from '../parts/repository-header.ts';
import { type IssueListServices, issueListPage } from './issue-list-page.ts';
import { listPath } from './parts/filters.ts';
import { viewOf } from './parts/view.ts';

interface Dependencies extends IssueListServices {
  readonly addresses: Addresses;
}

const InRepository = { owner: Type.String(), repo: Type.String() };
const Query = Type.Object({ ...IssueQuery, page: Type.Optional(Type.String()) });
const SEE_OTHER = 303;

/** Registers the list of the issues of a repository. */
export function issueListPages(app: App, dependencies: Dependencies): void {
  const { repositories, milestones, addresses } = dependencies;
  app.get(
    '/:owner/:repo/issues',
    { config: { action: ISSUE.read }, schema: { params: Type.Object(InRepository), querystring: Query } },
    async (request, reply) => {
      const permitted = await repositories.get(request.viewer, pathOf(request), ISSUE.read);
      const { issues } = permitted.repository.units;
      if (issues.kind === 'external') {
        const body = html`${repositoryHeader(permitted, 'issues')}
<h1>Issues</h1>
<p>The issues of this repository are at <a href="${issues.url}" rel="nofollow noopener noreferrer">${issues.url}</a>.</p>`;
        return sendPage(reply, { title: 'Issues', body });
      }
      if (!showsUnit(permitted, 'issues')) throw notFound('tracker');
      const view = viewOf(request, reply, { permitted, addresses });
      const { page, ...query } = request.query;
      const shown = { page: parseId(page ?? '1') ?? 1, services: dependencies };
      return sendPage(reply, await issueListPage(view, query, shown));
    },
  );

  app.get(
    '/:owner/:repo/milestone/:id',
    {
      config: { action: MILESTONE.read },
      schema: { params: Type.Object({ ...InRepository, id: Type.String() }) },
    },
    async (request, reply) => {
      const path = pathOf(request);
      const { title } = await milestones.get(request.viewer, path, request.params.id);
      const { repository } = await repositories.get(request.viewer, path, MILESTONE.read);
      const list = listPath(`${repositoryPath(repository)}/issues`, { milestones: title });
      return reply.redirect(localAddress(list, addresses), SEE_OTHER);
    },
  );
}

function pathOf({ params }: FastifyRequest): RepositoryPath {
  const { owner, repo } = params as { owner: string; repo: string };
  return { owner, name: repo };
}
