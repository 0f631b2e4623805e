import {
  ACCOUNT_ORGANIZATIONS,
  ORGANIZATION,
  SITE_ORGANIZATIONS,
} from '../../../src/people/organizations/actions.ts';
import { type FeatureProbes, IN_OWNERS, ORGANIZATION_URL } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  ownOperations: ['renameOrg'],
  organization: [
    { label: 'read', method: 'GET', url: ORGANIZATION_URL, action: ORGANIZATION.read },
    { label: 'edit', method: 'PATCH', url: ORGANIZATION_URL, action: ORGANIZATION.edit, sent: { json: {} } },
    {
      label: 'rename',
      method: 'POST',
      url: `${ORGANIZATION_URL}/rename`,
      action: ORGANIZATION.edit,
      sent: { json: { new_name: 'api' } },
    },
    { label: 'delete', method: 'DELETE', url: ORGANIZATION_URL, action: ORGANIZATION.delete },
    {
      label: 'list members',
      method: 'GET',
      url: `${ORGANIZATION_URL}/members`,
      action: ORGANIZATION.listMembers,
    },
    {
      label: 'check member',
      method: 'GET',
      url: `${ORGANIZATION_URL}/members/:username`,
      action: ORGANIZATION.listMembers,
      filled: IN_OWNERS,
    },
    {
      label: 'remove member',
      method: 'DELETE',
      url: `${ORGANIZATION_URL}/members/:username`,
      action: ORGANIZATION.removeMember,
      filled: IN_OWNERS,
    },
    {
      label: 'list public members',
      method: 'GET',
      url: `${ORGANIZATION_URL}/public_members`,
      action: ORGANIZATION.listMembers,
    },
    {
      label: 'check public member',
      method: 'GET',
      url: `${ORGANIZATION_URL}/public_members/:username`,
      action: ORGANIZATION.listMembers,
      filled: IN_OWNERS,
    },
    {
      label: 'show membership',
      method: 'PUT',
      url: `${ORGANIZATION_URL}/public_members/:username`,
      action: ORGANIZATION.showOwnMembership,
    },
    {
      label: 'hide membership',
      method: 'DELETE',
      url: `${ORGANIZATION_URL}/public_members/:username`,
      action: ORGANIZATION.showOwnMembership,
    },
    {
      label: 'own permissions',
      method: 'GET',
      url: '/api/v1/users/:username/orgs/:org/permissions',
      action: ACCOUNT_ORGANIZATIONS.listOrganizations,
    },
  ],
  others: [
    { label: 'list organizations', method: 'GET', url: '/api/v1/orgs', action: ORGANIZATION.list },
    {
      label: 'create organization',
      method: 'POST',
      url: '/api/v1/orgs',
      action: ORGANIZATION.create,
      sent: { json: { username: 'api' } },
    },
    {
      label: 'own organizations',
      method: 'GET',
      url: '/api/v1/user/orgs',
      action: ACCOUNT_ORGANIZATIONS.listOrganizations,
    },
    {
      label: "another's organizations",
      method: 'GET',
      url: '/api/v1/users/:username/orgs',
      action: ACCOUNT_ORGANIZATIONS.listOrganizationsOf,
      filled: { ':username': 'ada' },
    },
    {
      label: 'all organizations',
      method: 'GET',
      url: '/api/v1/admin/orgs',
      action: SITE_ORGANIZATIONS.listOrganizations,
    },
    {
      label: 'create organization for another',
      method: 'POST',
      url: '/api/v1/admin/users/:username/orgs',
      action: SITE_ORGANIZATIONS.createOrganization,
      filled: { ':username': 'ada' },
      sent: { json: { username: 'api' } },
    },
  ],
};
