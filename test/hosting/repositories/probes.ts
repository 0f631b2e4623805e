import {
  ACCOUNT_REPOSITORIES,
  COLLABORATOR,
  ORGANIZATION_REPOSITORIES,
  REPOSITORY,
  SITE_REPOSITORIES,
} from '../../../src/hosting/repositories/actions.ts';
import { type FeatureProbes, NO_NAME, ORGANIZATION_URL, REPOSITORY_URL } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  repository: [
    { label: 'read', method: 'GET', url: REPOSITORY_URL, action: REPOSITORY.read },
    {
      label: 'edit',
      method: 'PATCH',
      url: REPOSITORY_URL,
      action: REPOSITORY.edit,
      sent: { json: { description: '' } },
    },
    {
      label: 'list collaborators',
      method: 'GET',
      url: `${REPOSITORY_URL}/collaborators`,
      action: COLLABORATOR.list,
    },
    {
      label: 'check collaborator',
      method: 'GET',
      url: `${REPOSITORY_URL}/collaborators/:collaborator`,
      action: COLLABORATOR.list,
    },
    {
      label: 'add collaborator',
      method: 'PUT',
      url: `${REPOSITORY_URL}/collaborators/:collaborator`,
      action: COLLABORATOR.change,
      sent: { json: { permission: 'read' } },
    },
    {
      label: 'remove collaborator',
      method: 'DELETE',
      url: `${REPOSITORY_URL}/collaborators/:collaborator`,
      action: COLLABORATOR.change,
      filled: { ':collaborator': 'root' },
    },
    {
      label: 'own permission',
      method: 'GET',
      url: `${REPOSITORY_URL}/collaborators/:collaborator/permission`,
      action: COLLABORATOR.readPermission,
      filled: { ':collaborator': 'SELF' },
    },
    {
      label: "another's permission",
      method: 'GET',
      url: `${REPOSITORY_URL}/collaborators/:collaborator/permission`,
      action: COLLABORATOR.readPermission,
    },
    {
      label: 'read by id',
      method: 'GET',
      url: '/api/v1/repositories/:id',
      action: REPOSITORY.read,
      filled: { ':id': 'REPOSITORY' },
    },
    {
      label: 'list assignees',
      method: 'GET',
      url: `${REPOSITORY_URL}/assignees`,
      action: REPOSITORY.listAssignable,
    },
    {
      label: 'list reviewers',
      method: 'GET',
      url: `${REPOSITORY_URL}/reviewers`,
      action: REPOSITORY.listAssignable,
    },
    {
      label: 'delete',
      method: 'DELETE',
      url: REPOSITORY_URL,
      action: REPOSITORY.delete,
      filled: { ':repo': 'doomed' },
    },
  ],
  organization: [
    {
      label: 'list repositories',
      method: 'GET',
      url: `${ORGANIZATION_URL}/repos`,
      action: ORGANIZATION_REPOSITORIES.listRepositories,
    },
    {
      label: 'create repository',
      method: 'POST',
      url: `${ORGANIZATION_URL}/repos`,
      action: ORGANIZATION_REPOSITORIES.createRepository,
      sent: NO_NAME,
    },
    {
      label: 'create repository (deprecated)',
      method: 'POST',
      url: '/api/v1/org/:org/repos',
      action: ORGANIZATION_REPOSITORIES.createRepository,
      sent: NO_NAME,
    },
  ],
  others: [
    {
      label: 'own repositories',
      method: 'GET',
      url: '/api/v1/user/repos',
      action: ACCOUNT_REPOSITORIES.listRepositories,
    },
    {
      label: 'create repository',
      method: 'POST',
      url: '/api/v1/user/repos',
      action: ACCOUNT_REPOSITORIES.createRepository,
      sent: { json: { name: 'not a name' } },
    },
    {
      label: "another's repositories",
      method: 'GET',
      url: '/api/v1/users/:username/repos',
      action: ACCOUNT_REPOSITORIES.listRepositoriesOf,
      filled: { ':username': 'ada' },
    },
    {
      label: 'create repository for another',
      method: 'POST',
      url: '/api/v1/admin/users/:username/repos',
      action: SITE_REPOSITORIES.createRepository,
      filled: { ':username': 'ada' },
      sent: { json: { name: 'not a name' } },
    },
  ],
};
