import { randomUUID } from 'node:crypto';
import type { HookPlace, NewWebhook } from './model.ts';
import { placeColumns } from './places.ts';
import type { HookSealer } from './secrets.ts';

interface Making {
  readonly hookSealer: HookSealer;
  readonly place: HookPlace;
  readonly readerId: number | null;
  /** of the newest event in the log: the webhook delivers what comes after it */
  readonly position: number;
  /** ms */
  readonly now: number;
}

/** Returns the row of a webhook that has not delivered anything yet. */
export function newHookRow(wanted: NewWebhook, { hookSealer, place, readerId, position, now }: Making) {
  const key = randomUUID();
  return {
    ...placeColumns(place, wanted),
    reader_id: readerId,
    key,
    type: wanted.type,
    url: wanted.url,
    http_method: wanted.httpMethod,
    content_type: wanted.contentType,
    config: JSON.stringify(wanted.config),
    events: JSON.stringify(wanted.events),
    branch_filter: wanted.branchFilter,
    secret: hookSealer.seal(key, 'secret', wanted.secret),
    authorization: hookSealer.seal(key, 'authorization', wanted.authorization),
    is_active: wanted.isActive ? 1 : 0,
    created_at: now,
    updated_at: now,
    position,
    part: 0,
    wakes: 0,
    due_at: null,
    retry_at: null,
    attempts: 0,
    waiting_since: null,
    failing_since: null,
    stopped_at: null,
    last_error: '',
  };
}
