import { reaches } from '../../api/access/levels.ts';
import type { Standing } from '../../api/access/standing.ts';
import { answerOf } from '../../api/operations/answers.ts';
import type { Addresses } from '../../http/app.ts';
import { wireTime } from '../../http/time.ts';
import { avatarAddress } from '../accounts/present.ts';
import type { Organization } from './model.ts';
import {
  type OrganizationPermissions,
  OrganizationPermissionsSchema,
  type OrganizationRecord,
  OrganizationSchema,
} from './schema.ts';

export function presentOrganization(organization: Organization, addresses: Addresses): OrganizationRecord {
  return {
    id: organization.id,
    name: organization.name,
    full_name: organization.fullName,
    email: organization.email,
    avatar_url: avatarAddress(organization, addresses),
    description: organization.description,
    website: organization.website,
    location: organization.location,
    visibility: organization.visibility,
    repo_admin_change_team_access: organization.repositoryAdminsChangeTeams,
    team_admin_delete_repos: organization.teamAdminsDelete,
    require_second_factor: organization.requiresSecondFactor,
    created: wireTime(organization.createdAt),
    username: organization.name,
  };
}

/** Presents the rights that a user has in an organization through its teams. */
export function presentPermissions(standing: Standing): OrganizationPermissions {
  const { teamLevel } = standing;
  return {
    is_owner: teamLevel === 'owner',
    is_admin: reaches(teamLevel, 'admin'),
    can_write: reaches(teamLevel, 'write'),
    can_read: reaches(teamLevel, 'read'),
    can_create_repository: standing.mayCreateRepositories,
  };
}

export const OrganizationAnswer = answerOf(
  OrganizationSchema,
  (organization: Organization, _viewer, addresses) => presentOrganization(organization, addresses),
);
export const PermissionsAnswer = answerOf(OrganizationPermissionsSchema, presentPermissions);
