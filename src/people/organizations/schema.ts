import { type Static, Type } from 'typebox';
import { ACCOUNT_LIMITS } from '../accounts/limits.ts';

const ProfileField = Type.Optional(Type.String({ maxLength: ACCOUNT_LIMITS.profileFieldCharsMax }));

const TEAM_ADMIN_DELETE =
  'whether members of a team with permission `admin` may delete the repositories of the team; false by default';

const REQUIRE_SECOND_FACTOR = 'whether all members have a second factor to sign in; false by default';

export const OrganizationSchema = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    full_name: Type.String(),
    email: Type.String(),
    avatar_url: Type.String(),
    description: Type.String(),
    website: Type.String(),
    location: Type.String(),
    visibility: Type.String(),
    repo_admin_change_team_access: Type.Boolean(),
    team_admin_delete_repos: Type.Boolean({ description: TEAM_ADMIN_DELETE, 'x-quire': true }),
    require_second_factor: Type.Boolean({ description: REQUIRE_SECOND_FACTOR, 'x-quire': true }),
    created: Type.String({ format: 'date-time' }),
    username: Type.String(),
  },
  { $id: 'Organization' },
);
export type OrganizationRecord = Static<typeof OrganizationSchema>;

const PROFILE = {
  full_name: ProfileField,
  email: ProfileField,
  description: ProfileField,
  website: ProfileField,
  location: ProfileField,
  visibility: Type.Optional(Type.String()),
  repo_admin_change_team_access: Type.Optional(Type.Boolean()),
  team_admin_delete_repos: Type.Optional(Type.Boolean({ description: TEAM_ADMIN_DELETE, 'x-quire': true })),
  require_second_factor: Type.Optional(Type.Boolean({ description: REQUIRE_SECOND_FACTOR, 'x-quire': true })),
};

export const CreateOrganizationBody = Type.Object(
  { username: Type.String(), ...PROFILE },
  { $id: 'CreateOrgOption' },
);
export type CreateOrganization = Static<typeof CreateOrganizationBody>;

export const EditOrganizationBody = Type.Object(PROFILE, { $id: 'EditOrgOption' });
export type EditOrganization = Static<typeof EditOrganizationBody>;

export const RenameOrganizationBody = Type.Object({ new_name: Type.String() }, { $id: 'RenameOrgOption' });

export const OrganizationPermissionsSchema = Type.Object(
  {
    is_owner: Type.Boolean(),
    is_admin: Type.Boolean(),
    can_write: Type.Boolean(),
    can_read: Type.Boolean(),
    can_create_repository: Type.Boolean(),
  },
  { $id: 'OrganizationPermissions' },
);
export type OrganizationPermissions = Static<typeof OrganizationPermissionsSchema>;
