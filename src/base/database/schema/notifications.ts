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

/** Written by `mail/`. A user who wants mail. */
export interface MailPreferencesTable {
  account_id: number;
  /** `all` or `own`: see `tracker/mail/model.ts` */
  level: string;
  /** ms; nothing is sent before */
  next_at: Generated<number>;
  /** attempts in succession that the mail server has put off */
  failures: Generated<number>;
  /** ms; the hour in which `sent_in_hour` mails were sent */
  hour_began_at: Generated<number>;
  sent_in_hour: Generated<number>;
}

/** Written by `mail/`. An event of an issue that is to be mailed to a user. */
export interface MailNoticesTable {
  id: Generated<number>;
  account_id: number;
  issue_id: number;
  /** in `events` */
  event_position: number;
  /** of the event */
  created_at: number;
}

export interface NotificationTables {
  mail_preferences: MailPreferencesTable;
  mail_notices: MailNoticesTable;
  notification_threads: NotificationThreadsTable;
}
