import type { Generated } from 'kysely';

/** Written by `activities/`. What an account has done, as feeds show it: one row for each activity, not for each reader. */
export interface ActivitiesTable {
  id: Generated<number>;
  /** see `tracker/activities/model.ts` */
  op_type: string;
  /** part of the repository that a reader must be able to read: see `UNIT_CODES` of `tracker/activities/store.ts` */
  unit: number;
  actor_id: number;
  repository_id: number;
  /** of the repository, at that time */
  owner_id: number;
  issue_id: number | null;
  /** the comment or review, in the timeline of the issue */
  entry_id: number | null;
  /** the comment on lines of a pull request */
  line_comment_id: number | null;
  /** full name; '' for none */
  ref_name: string;
  /** what the row itself says; '' for what other rows say, such as the title of the issue */
  content: string;
  created_at: number;
}

export interface ActivityTables {
  activities: ActivitiesTable;
}
