import type { Generated } from 'kysely';

/** Written by `protection/`. Rules about branches or tags whose names match a pattern. */
export interface ProtectionsTable {
  id: Generated<number>;
  repository_id: number;
  kind: 'branch' | 'tag';
  /** a name or a glob */
  pattern: string;
  /** whether anyone may push at all */
  allows_push: number;
  /** only the accounts and teams with the purpose `push` may push */
  limits_push: number;
  /** whether those who may push may also do so by force */
  allows_force_push: number;
  /** only those of them with the purpose `force-push` may */
  limits_force_push: number;
  limits_merge: number;
  requires_signatures: number;
  /** globs with semicolons between them */
  protected_files: string;
  unprotected_files: string;
  /** JSON: settings that only pull requests and clients read; see `code/protection/model.ts` */
  settings: string;
  created_at: number;
  updated_at: number;
}

type Purpose = 'push' | 'force-push' | 'merge' | 'approve';

/** Written by `protection/`. */
export interface ProtectionAccountsTable {
  protection_id: number;
  purpose: Purpose;
  account_id: number;
}

/** Written by `protection/`. Teams of other owners, from before a transfer, have no effect. */
export interface ProtectionTeamsTable {
  protection_id: number;
  purpose: Purpose;
  team_id: number;
}

export interface ProtectionTables {
  protections: ProtectionsTable;
  protection_accounts: ProtectionAccountsTable;
  protection_teams: ProtectionTeamsTable;
}
