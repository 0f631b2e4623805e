/** Written by `organizations/`. What an organization has besides its account, by the same id. */
export interface OrganizationsTable {
  id: number;
  repository_admins_change_teams: number;
}

/** Written by `organizations/`. Whoever is in at least one team of it, and nobody else. */
export interface OrganizationMembersTable {
  organization_id: number;
  account_id: number;
  /** the member shows it to everybody */
  is_public: number;
  created_at: number;
}

export interface OrganizationTables {
  organizations: OrganizationsTable;
  organization_members: OrganizationMembersTable;
}
