import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { SignedIn } from '../access/viewer.ts';
import { UsernameParams } from '../accounts/schema.ts';
import type { Accounts } from '../accounts/service.ts';
import { type Page, type Paging, pagingOf } from '../core/paging.ts';
import type { Addresses, App } from '../http/app.ts';
import { PagingQuery, setPagingHeaders } from '../http/paging.ts';
import { NO_CONTENT, reference } from '../http/shapes.ts';
import { ACCOUNT_ORGANIZATIONS, ORGANIZATION, SITE_ORGANIZATIONS } from './actions.ts';
import { memberRoutes } from './member-routes.ts';
import type { Organization } from './model.ts';
import { newOrganizationOf, organizationEditOf } from './options.ts';
import { presentOrganization, presentPermissions } from './present.ts';
import {
  CreateOrganizationBody,
  EditOrganizationBody,
  OrganizationParams,
  OrganizationPermissionsSchema,
  OrganizationSchema,
  RenameOrganizationBody,
} from './schema.ts';
import type { Organizations } from './service.ts';

interface Dependencies {
  readonly organizations: Organizations;
  readonly accounts: Accounts;
  readonly addresses: Addresses;
}

const tags = ['organization'];
const OrganizationList = Type.Array(reference(OrganizationSchema));

export function organizationRoutes(app: App, dependencies: Dependencies): void {
  listRoutes(app, dependencies);
  ownRoutes(app, dependencies);
  memberRoutes(app, dependencies);
  administrationRoutes(app, dependencies);
}

function listRoutes(app: App, { organizations, addresses }: Dependencies): void {
  const answer = async (
    request: FastifyRequest,
    reply: FastifyReply,
    query: { page?: number; limit?: number },
    list: (paging: Paging) => Promise<Page<Organization>>,
  ) => {
    const paging = pagingOf(query);
    const { items, total } = await list(paging);
    setPagingHeaders(request, reply, addresses, { paging, total });
    return items.map(presentOrganization);
  };
  const querystring = Type.Object(PagingQuery);
  const response = { 200: OrganizationList };

  app.get(
    '/orgs',
    {
      config: { action: ORGANIZATION.list },
      schema: { tags, summary: 'List organizations', querystring, response },
    },
    (request, reply) =>
      answer(request, reply, request.query, (paging) => organizations.list(request.viewer, paging)),
  );

  app.get(
    '/admin/orgs',
    {
      config: { action: SITE_ORGANIZATIONS.listOrganizations },
      schema: { tags: ['admin'], summary: 'List all organizations', querystring, response },
    },
    (request, reply) =>
      answer(request, reply, request.query, (paging) => organizations.list(request.viewer, paging)),
  );

  app.get(
    '/user/orgs',
    {
      config: { action: ACCOUNT_ORGANIZATIONS.listOrganizations },
      schema: { tags, summary: 'List the organizations you are a member of', querystring, response },
    },
    (request, reply) =>
      answer(request, reply, request.query, (paging) =>
        organizations.listOwn(request.viewer as SignedIn, paging),
      ),
  );

  app.get(
    '/users/:username/orgs',
    {
      config: { action: ACCOUNT_ORGANIZATIONS.listOrganizationsOf },
      schema: {
        tags,
        summary: 'List the organizations a user is a member of',
        params: UsernameParams,
        querystring,
        response,
      },
    },
    (request, reply) =>
      answer(request, reply, request.query, (paging) =>
        organizations.listOf(request.viewer, request.params.username, paging),
      ),
  );

  app.get(
    '/users/:username/orgs/:org/permissions',
    {
      config: { action: ACCOUNT_ORGANIZATIONS.listOrganizations },
      schema: {
        tags,
        summary: 'Get what a user may do in an organization',
        params: Type.Object({ username: Type.String(), org: Type.String() }),
        response: { 200: OrganizationPermissionsSchema },
      },
    },
    async (request) => {
      const { username, org } = request.params;
      return presentPermissions(await organizations.getStanding(request.viewer, username, org));
    },
  );
}

function ownRoutes(app: App, { organizations }: Dependencies): void {
  const params = OrganizationParams;

  app.post(
    '/orgs',
    {
      config: { action: ORGANIZATION.create },
      schema: {
        tags,
        summary: 'Create an organization, which you own',
        body: CreateOrganizationBody,
        response: { 201: reference(OrganizationSchema) },
      },
    },
    async (request, reply) => {
      const made = await organizations.create(request.viewer as SignedIn, newOrganizationOf(request.body));
      return reply.code(201).send(presentOrganization(made));
    },
  );

  app.get(
    '/orgs/:org',
    {
      config: { action: ORGANIZATION.read },
      schema: {
        tags,
        summary: 'Get an organization',
        params,
        response: { 200: reference(OrganizationSchema) },
      },
    },
    async (request) => {
      const held = await organizations.get(request.viewer, request.params.org, ORGANIZATION.read);
      return presentOrganization(held.organization);
    },
  );

  app.patch(
    '/orgs/:org',
    {
      config: { action: ORGANIZATION.edit },
      schema: {
        tags,
        summary: 'Change an organization',
        params,
        body: EditOrganizationBody,
        response: { 200: reference(OrganizationSchema) },
      },
    },
    async (request) => {
      const edit = organizationEditOf(request.body);
      return presentOrganization(await organizations.edit(request.viewer, request.params.org, edit));
    },
  );

  app.post(
    '/orgs/:org/rename',
    {
      config: { action: ORGANIZATION.edit },
      schema: {
        tags,
        summary: 'Rename an organization',
        params,
        body: RenameOrganizationBody,
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      await organizations.rename(request.viewer, request.params.org, request.body.new_name);
      return reply.code(204).send();
    },
  );

  app.delete(
    '/orgs/:org',
    {
      config: { action: ORGANIZATION.delete },
      schema: {
        tags,
        summary: 'Delete an organization that owns no repositories',
        params,
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      await organizations.delete(request.viewer, request.params.org);
      return reply.code(204).send();
    },
  );
}

function administrationRoutes(app: App, { organizations, accounts }: Dependencies): void {
  app.post(
    '/admin/users/:username/orgs',
    {
      config: { action: SITE_ORGANIZATIONS.createOrganization },
      schema: {
        tags: ['admin'],
        summary: 'Create an organization that a user owns',
        params: UsernameParams,
        body: CreateOrganizationBody,
        response: { 201: reference(OrganizationSchema) },
      },
    },
    async (request, reply) => {
      const viewer = request.viewer as SignedIn;
      const owner = await accounts.getByName(viewer, request.params.username);
      const made = await organizations.createFor(viewer, owner, newOrganizationOf(request.body));
      return reply.code(201).send(presentOrganization(made));
    },
  );
}
