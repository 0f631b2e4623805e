import { Type } from 'typebox';
import type { SignedIn } from '../access/viewer.ts';
import { UsernameParams } from '../accounts/schema.ts';
import type { Accounts } from '../accounts/service.ts';
import { invalid } from '../core/failure.ts';
import { pagingOf } from '../core/paging.ts';
import type { Addresses, App } from '../http/app.ts';
import { PagingQuery, setPagingHeaders } from '../http/paging.ts';
import { reference } from '../http/shapes.ts';
import { OrganizationParams } from '../organizations/schema.ts';
import type { Organizations } from '../organizations/service.ts';
import { ACCOUNT_REPOSITORIES, ORGANIZATION_REPOSITORIES, SITE_REPOSITORIES } from './actions.ts';
import { newRepositoryOf } from './creation/options.ts';
import { presentRepository } from './present.ts';
import { CreateRepositoryBody, RepositoryList, RepositorySchema } from './schema.ts';
import type { Repositories } from './service.ts';

interface Dependencies {
  readonly repositories: Repositories;
  readonly organizations: Organizations;
  readonly accounts: Accounts;
  readonly addresses: Addresses;
}

/** Repositories by who owns them. */
export function ownerRoutes(app: App, dependencies: Dependencies): void {
  listRoutes(app, dependencies);
  creationRoutes(app, dependencies);
}

function listRoutes(app: App, { repositories, organizations, accounts, addresses }: Dependencies): void {
  app.get(
    '/orgs/:org/repos',
    {
      config: { action: ORGANIZATION_REPOSITORIES.listRepositories },
      schema: {
        tags: ['organization'],
        summary: 'List the repositories of an organization that you may see',
        params: OrganizationParams,
        querystring: Type.Object(PagingQuery),
        response: { 200: RepositoryList },
      },
    },
    async (request, reply) => {
      const { viewer } = request;
      const paging = pagingOf(request.query);
      const action = ORGANIZATION_REPOSITORIES.listRepositories;
      const { organization } = await organizations.get(viewer, request.params.org, action);
      const { items, total } = await repositories.listOf(viewer, organization.id, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((held) => presentRepository(held, viewer, addresses));
    },
  );

  app.get(
    '/users/:username/repos',
    {
      config: { action: ACCOUNT_REPOSITORIES.listRepositoriesOf },
      schema: {
        tags: ['user'],
        summary: 'List the repositories of a user that you may see',
        params: UsernameParams,
        querystring: Type.Object(PagingQuery),
        response: { 200: RepositoryList },
      },
    },
    async (request, reply) => {
      const { viewer } = request;
      const paging = pagingOf(request.query);
      const { id } = await accounts.getByName(viewer, request.params.username);
      const { items, total } = await repositories.listOf(viewer, id, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((held) => presentRepository(held, viewer, addresses));
    },
  );
}

function creationRoutes(app: App, { repositories, organizations, accounts, addresses }: Dependencies): void {
  for (const path of ['/orgs/:org/repos', '/org/:org/repos'] as const) {
    const isDeprecated = path === '/org/:org/repos';
    app.post(
      path,
      {
        config: { action: ORGANIZATION_REPOSITORIES.createRepository },
        schema: {
          tags: ['organization'],
          summary: isDeprecated
            ? 'Create a repository in an organization: use /orgs/{org}/repos'
            : 'Create a repository in an organization',
          ...(isDeprecated ? { deprecated: true } : {}),
          params: OrganizationParams,
          body: CreateRepositoryBody,
          response: { 201: reference(RepositorySchema) },
        },
      },
      async (request, reply) => {
        const viewer = request.viewer as SignedIn;
        const owner = await organizations.getForNewRepository(viewer, request.params.org);
        const { wanted, start } = newRepositoryOf(request.body);
        const made = await repositories.createFor({ viewer, owner, wanted }, start);
        return reply.code(201).send(presentRepository(made, viewer, addresses));
      },
    );
  }

  app.post(
    '/admin/users/:username/repos',
    {
      config: { action: SITE_REPOSITORIES.createRepository },
      schema: {
        tags: ['admin'],
        summary: 'Create a repository for a user',
        params: UsernameParams,
        body: CreateRepositoryBody,
        response: { 201: reference(RepositorySchema) },
      },
    },
    async (request, reply) => {
      const viewer = request.viewer as SignedIn;
      const owner = await accounts.getByName(viewer, request.params.username);
      if (owner.kind !== 'user') throw invalid(`${owner.name} is an organization, not a user`);
      const { wanted, start } = newRepositoryOf(request.body);
      const made = await repositories.createFor({ viewer, owner, wanted }, start);
      return reply.code(201).send(presentRepository(made, viewer, addresses));
    },
  );
}
