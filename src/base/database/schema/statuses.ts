import type { Generated } from 'kysely';

/** Written by `statuses/`. What other tools report about commits. Rows never change, except `is_latest`. */
export interface CommitStatusesTable {
  id: Generated<number>;
  repository_id: number;
  commit_oid: string;
  /** from 1 for each commit */
  number: number;
  context: string;
  state: 'pending' | 'success' | 'error' | 'failure' | 'warning' | 'skipped';
  target_url: string;
  description: string;
  /** null after the account was deleted */
  creator_id: number | null;
  /** the commit has no later status with this context */
  is_latest: number;
  created_at: number;
}

export interface StatusTables {
  commit_statuses: CommitStatusesTable;
}
