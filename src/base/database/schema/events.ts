import type { Generated } from 'kysely';

/** Written by `events/`. All events in commit order. */
export interface EventsTable {
  position: Generated<number>;
  kind: string;
  actor_id: number | null;
  repository_id: number | null;
  /** JSON, by kind */
  payload: string;
  created_at: number;
  /** null in events of earlier versions */
  actor_kind: string | null;
  /** of the account, at that time */
  actor_name: string | null;
  /** of the repository at that time, or the account or organization that the event is about */
  owner_id: number | null;
  owner_name: string | null;
  /** without the owner */
  repository_name: string | null;
  /** JSON; null: no value has changed, or the event does not record it */
  former: string | null;
  /** JSON: names of the accounts in the payload at that time, by their ids; null: none, or an event of an earlier version */
  account_names: string | null;
}

/** Written by `events/`. One row. */
export interface EventLogTable {
  id: number;
  /** Events up to this position have been deleted. */
  deleted_to: number;
}

/** Written by `events/`. The position of each reader that reads all events in order. */
export interface EventReadersTable {
  name: string;
  /** position of the last event that the reader handled; 0: none */
  position: number;
  updated_at: number;
}

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

export interface EventTables {
  events: EventsTable;
  event_log: EventLogTable;
  event_readers: EventReadersTable;
  activities: ActivitiesTable;
}
