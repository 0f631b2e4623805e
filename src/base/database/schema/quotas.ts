import type { Generated } from 'kysely';

/** Written by `quota/`. Limits of what owners store. */
export interface QuotaRulesTable {
  id: Generated<number>;
  name: string;
  /** -1: no limit */
  bytes_max: number;
  /** separated by spaces */
  subjects: string;
}

/** Written by `quota/`. Rules that apply together. */
export interface QuotaGroupsTable {
  id: Generated<number>;
  name: string;
}

/** Written by `quota/`. */
export interface QuotaGroupRulesTable {
  group_id: number;
  rule_id: number;
}

/** Written by `quota/`. Accounts to which the rules of a group apply. */
export interface QuotaMembersTable {
  group_id: number;
  account_id: number;
}

export interface QuotaTables {
  quota_rules: QuotaRulesTable;
  quota_groups: QuotaGroupsTable;
  quota_group_rules: QuotaGroupRulesTable;
  quota_members: QuotaMembersTable;
}
