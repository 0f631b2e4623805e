import type { Generated } from 'kysely';

/** Written by `notifications/`. What a user was notified about: at most one row for each user and issue. */
export interface NotificationThreadsTable {
  id: Generated<number>;
  account_id: number;
  issue_id: number;
  /** that of the issue */
  repository_id: number;
  /** 1: unread, 2: read, 3: pinned */
  status: number;
  /** of the latest event that the row has taken in */
  event_position: number;
  /** when that event happened */
  updated_at: number;
}

export interface NotificationTables {
  notification_threads: NotificationThreadsTable;
}
