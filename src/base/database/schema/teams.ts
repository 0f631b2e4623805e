import type { Generated } from 'kysely';

/** Written by `teams/`. Levels are 0 none, 1 read, 2 write, 3 admin, 4 owner. */
export interface TeamsTable extends TeamUnitColumns {
  id: Generated<number>;
  organization_id: number;
  name: string;
  lower_name: string;
  description: string;
  /** 4 for the one team that owns the organization */
  level: number;
  includes_all_repositories: number;
  can_create_repositories: number;
  created_at: number;
}

/** The level on each unit of the team's repositories; null: the team does not have the unit. */
export interface TeamUnitColumns {
  code_level: number | null;
  issues_level: number | null;
  ext_issues_level: number | null;
  pulls_level: number | null;
  releases_level: number | null;
  wiki_level: number | null;
  ext_wiki_level: number | null;
  projects_level: number | null;
  packages_level: number | null;
  actions_level: number | null;
}

/** Written by `teams/`. */
export interface TeamMembersTable {
  team_id: number;
  account_id: number;
  /** copied from the team, so that one index finds a user's teams in an organization */
  organization_id: number;
  created_at: number;
}

/** Written by `teams/`. A team that includes all repositories has no rows. */
export interface TeamRepositoriesTable {
  team_id: number;
  repository_id: number;
  created_at: number;
}

export interface TeamTables {
  teams: TeamsTable;
  team_members: TeamMembersTable;
  team_repositories: TeamRepositoriesTable;
}
