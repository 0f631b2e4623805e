import type { Generated } from 'kysely';

/** Written by `labels/`. Issue labels, each of one repository or of one organization. */
export interface LabelsTable {
  id: Generated<number>;
  repository_id: number | null;
  organization_id: number | null;
  name: string;
  /** six hex digits */
  color: string;
  description: string;
  /** an issue has at most one label among those with the same name up to the last `/` */
  is_exclusive: Generated<number>;
  archived_at: number | null;
  /** issues and pull requests that have the label */
  issues_count: Generated<number>;
  created_at: number;
}

export interface LabelTables {
  labels: LabelsTable;
}
