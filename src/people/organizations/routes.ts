import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../accounts/service.ts';
import { ACCOUNT_ORGANIZATIONS, ORGANIZATION, SITE_ORGANIZATIONS } from './actions.ts';
import { memberRoutes } from './member-routes.ts';
import { newOrganizationOf, organizationEditOf } from './options.ts';
import { OrganizationAnswer, PermissionsAnswer } from './present.ts';
import { CreateOrganizationBody, EditOrganizationBody, RenameOrganizationBody } from './schema.ts';
import type { Organizations } from './service.ts';

interface Dependencies {
  readonly organizations: Organizations;
  readonly accounts: Accounts;
  readonly addresses: Addresses;
}

export function organizationRoutes(app: App, dependencies: Dependencies): void {
  listRoutes(app, dependencies);
  oneOrganizationRoutes(app, dependencies);
  memberRoutes(app, dependencies);
  administrationRoutes(app, dependencies);
}

function listRoutes(app: App, { organizations, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'organization', addresses });

  api.list('/orgs', ORGANIZATION.list, {
    id: 'orgGetAll',
    summary: 'List organizations',
    answer: OrganizationAnswer,
    handle: ({ viewer, paging }) => organizations.list(viewer, paging),
  });

  api.list('/user/orgs', ACCOUNT_ORGANIZATIONS.listOrganizations, {
    id: 'orgListCurrentUserOrgs',
    summary: 'List the organizations that you are a member of',
    answer: OrganizationAnswer,
    handle: ({ viewer, paging }) => organizations.listOwn(viewer, paging),
  });

  api.list('/users/:username/orgs', ACCOUNT_ORGANIZATIONS.listOrganizationsOf, {
    id: 'orgListUserOrgs',
    summary: 'List the organizations that a user is a member of',
    answer: OrganizationAnswer,
    handle: ({ viewer, params, paging }) => organizations.listOf(viewer, params.username, paging),
  });

  api.get('/users/:username/orgs/:org/permissions', ACCOUNT_ORGANIZATIONS.listOrganizations, {
    id: 'orgGetUserPermissions',
    summary: 'Get what a user may do in an organization',
    answer: PermissionsAnswer,
    handle: ({ viewer, params }) => organizations.getStanding(viewer, params.username, params.org),
  });
}

function oneOrganizationRoutes(app: App, { organizations, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'organization', addresses });

  api.post('/orgs', ORGANIZATION.create, {
    id: 'orgCreate',
    summary: 'Create an organization that you own',
    body: CreateOrganizationBody,
    status: 201,
    answer: OrganizationAnswer,
    handle: ({ viewer, body }) => organizations.create(viewer, newOrganizationOf(body)),
  });

  api.get('/orgs/:org', ORGANIZATION.read, {
    id: 'orgGet',
    summary: 'Get an organization',
    answer: OrganizationAnswer,
    handle: async ({ viewer, params }) =>
      (await organizations.get(viewer, params.org, ORGANIZATION.read)).organization,
  });

  api.patch('/orgs/:org', ORGANIZATION.edit, {
    id: 'orgEdit',
    summary: 'Change an organization',
    body: EditOrganizationBody,
    answer: OrganizationAnswer,
    handle: ({ viewer, params, body }) => organizations.edit(viewer, params.org, organizationEditOf(body)),
  });

  api.post('/orgs/:org/rename', ORGANIZATION.edit, {
    id: 'renameOrg',
    summary: 'Rename an organization',
    body: RenameOrganizationBody,
    handle: ({ viewer, params, body }) => organizations.rename(viewer, params.org, body.new_name),
  });

  api.delete('/orgs/:org', ORGANIZATION.delete, {
    id: 'orgDelete',
    summary: 'Delete an organization that owns no repositories',
    failures: ['invalid'],
    handle: ({ viewer, params }) => organizations.delete(viewer, params.org),
  });
}

function administrationRoutes(app: App, { organizations, accounts, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'admin', addresses });

  api.list('/admin/orgs', SITE_ORGANIZATIONS.listOrganizations, {
    id: 'adminGetAllOrgs',
    summary: 'List all organizations',
    answer: OrganizationAnswer,
    handle: ({ viewer, paging }) => organizations.list(viewer, paging),
  });

  api.post('/admin/users/:username/orgs', SITE_ORGANIZATIONS.createOrganization, {
    id: 'adminCreateOrg',
    summary: 'Create an organization that a user owns',
    body: CreateOrganizationBody,
    status: 201,
    answer: OrganizationAnswer,
    async handle({ viewer, params, body }) {
      const owner = await accounts.getByName(viewer, params.username);
      return organizations.createFor(viewer, owner, newOrganizationOf(body));
    },
  });
}
