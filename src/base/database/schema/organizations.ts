import type { Generated } from 'kysely';

/** Written by `organizations/`. Columns of organizations beyond their accounts, which have the same ids. */
export interface OrganizationsTable {
  id: number;
  repository_admins_change_teams: number;
  /** Members of teams with level admin may delete the repositories of these teams. */
  team_admins_delete: Generated<number>;
  /** 1: all members have a second factor */
  requires_second_factor: Generated<number>;
}

/** Written by `organizations/`. Exactly the accounts that are in at least one team of the organization. */
export interface OrganizationMembersTable {
  organization_id: number;
  account_id: number;
  /** the member made the membership public */
  is_public: number;
  created_at: number;
}

export interface OrganizationTables {
  organizations: OrganizationsTable;
  organization_members: OrganizationMembersTable;
}
