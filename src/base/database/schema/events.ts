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

/** Written by `audit/`. Who did what from where. Names are from the time of the entry. */
export interface AuditEntriesTable {
  id: Generated<number>;
  created_at: number;
  /** the kind of an event, or another action */
  action: string;
  actor_kind: string;
  actor_id: number | null;
  actor_name: string | null;
  /** kind of the credential; null: no request brought the change */
  credential: string | null;
  /** of the token or the session */
  credential_id: number | null;
  /** the site administrator who acted as the actor */
  administrator_id: number | null;
  administrator_name: string | null;
  /** of the client */
  address: string | null;
  request_id: string | null;
  target_kind: string;
  target_id: number | null;
  target_name: string | null;
  /** user or organization whose entry it is */
  owner_id: number | null;
  repository_id: number | null;
  /** with its owner */
  repository_name: string | null;
  /** JSON: names of the accounts in the details, by their ids */
  account_names: string | null;
  /** JSON */
  details: string;
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
  /** of a transfer; null: another activity, or the account was deleted */
  former_owner_id: number | null;
}

/** Written by `webhooks/`. Addresses to which events are delivered, and how far each has delivered the event log. */
export interface WebhooksTable {
  id: Generated<number>;
  /** `default`: copied to new repositories; it delivers nothing itself */
  scope: 'repository' | 'account' | 'system' | 'default';
  /** of a hook of a repository */
  repository_id: number | null;
  /** of a hook of a user or an organization */
  owner_id: number | null;
  /** for whom payloads are rendered: who changed the hook last; null: the account was deleted */
  reader_id: number | null;
  /** whose share of deliveries it uses: the owner when it was created; 0: the site. It never changes. */
  share_id: number;
  /** random; names the hook in what is encrypted and in the ids of its deliveries */
  key: string;
  type: string;
  url: string;
  http_method: string;
  content_type: string;
  /** JSON: further fields of its type */
  config: string;
  /** JSON: names of events and of groups */
  events: string;
  /** '': all branches */
  branch_filter: string;
  /** encrypted; null: none */
  secret: string | null;
  authorization: string | null;
  is_active: number;
  created_at: number;
  updated_at: number;
  /** of the last event that was handled */
  position: number;
  /** number of deliveries of the next event that are done */
  part: number;
  /** number of times that it was made due, so that one that comes during a turn is not lost */
  wakes: number;
  /** null: there is nothing to deliver */
  due_at: number | null;
  /** of the next attempt at the current delivery; null: at once */
  retry_at: number | null;
  /** failed ones at the current delivery */
  attempts: number;
  /** first failure of the current delivery */
  waiting_since: number | null;
  /** first failure since the last success */
  failing_since: number | null;
  /** when the server made it inactive; null: it did not */
  stopped_at: number | null;
  /** of the last attempt; '' after a success */
  last_error: string;
}

/** Written by `webhooks/`. Deliveries of the last days, as far as limits allow. */
export interface WebhookDeliveriesTable {
  id: Generated<number>;
  hook_id: number;
  /** the same for all attempts */
  uuid: string;
  /** of its event; null: a test */
  position: number | null;
  /** which delivery of the event, from 0 */
  part: number;
  /** of a test: full name of the ref; null: the default branch, or not a test */
  ref: string | null;
  /** name of the event */
  event: string;
  /** `waiting`: another attempt follows by itself; `requested`: a test that was not sent yet */
  state: 'requested' | 'delivered' | 'waiting' | 'failed';
  attempts: number;
  created_at: number;
  /** of the last attempt */
  sent_at: number | null;
  duration_ms: number | null;
  /** JSON, of the last attempt */
  request: string | null;
  response: string | null;
  /** '' after a success */
  error: string;
  /** when someone asked for another attempt; null: no one did */
  requested_at: number | null;
}

/** Written by `webhooks/`. Who is to be mailed that the server has stopped a webhook. */
export interface WebhookStopNoticesTable {
  account_id: number;
  hook_id: number;
  /** as in the webhook, which may be active again meanwhile */
  stopped_at: number;
}

export interface EventTables {
  events: EventsTable;
  event_log: EventLogTable;
  event_readers: EventReadersTable;
  audit_entries: AuditEntriesTable;
  activities: ActivitiesTable;
  webhooks: WebhooksTable;
  webhook_deliveries: WebhookDeliveriesTable;
  webhook_stop_notices: WebhookStopNoticesTable;
}
