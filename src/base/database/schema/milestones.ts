import type { Generated } from 'kysely';

/** Written by `milestones/`. */
export interface MilestonesTable {
  id: Generated<number>;
  repository_id: number;
  title: string;
  /** for searches in any case */
  lower_title: string;
  description: string;
  due_at: number | null;
  /** null: open */
  closed_at: number | null;
  /** issues and pull requests of the milestone, by their state */
  open_issues_count: Generated<number>;
  closed_issues_count: Generated<number>;
  created_at: number;
  updated_at: number;
}

export interface MilestoneTables {
  milestones: MilestonesTable;
}
