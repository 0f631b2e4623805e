import type { Selectable } from 'kysely';
import { raw } from '../../../base/database/fragment.ts';
import type { WebhookDeliveriesTable, WebhooksTable } from '../../../base/database/schema/events.ts';
import { EVENT_NAMES } from '../event-names.ts';
import { type DeliveringHook, type Delivery, HOOK_TYPES, type HttpMethod } from '../model.ts';

export type HookRow = Selectable<WebhooksTable> & { readonly owner_kind: 'user' | 'organization' | null };
export type DeliveryRow = Selectable<WebhookDeliveriesTable>;

/** Columns of `webhooks w`. */
export const HOOK_COLUMNS = raw('w.*, (select o.kind from accounts o where o.id = w.owner_id) as owner_kind');

export function hookOf(row: HookRow): DeliveringHook {
  return {
    id: row.id,
    scope: row.scope,
    repositoryId: row.repository_id,
    ownerId: row.owner_id,
    ownerKind: row.owner_kind,
    readerId: row.reader_id,
    shareId: row.share_id,
    key: row.key,
    type: HOOK_TYPES.find((type) => type === row.type) ?? 'gitea',
    url: row.url,
    httpMethod: methodOf(row.http_method),
    contentType: row.content_type === 'form' ? 'form' : 'json',
    config: JSON.parse(row.config),
    events: JSON.parse(row.events),
    branchFilter: row.branch_filter,
    secret: row.secret,
    authorization: row.authorization,
    hasSecret: row.secret !== null,
    hasAuthorization: row.authorization !== null,
    isActive: row.is_active === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    position: row.position,
    part: row.part,
    wakes: row.wakes,
    retryAt: row.retry_at,
    attempts: row.attempts,
    waitingSince: row.waiting_since,
    failingSince: row.failing_since,
    stoppedAt: row.stopped_at,
    lastError: row.last_error,
  };
}

function methodOf(text: string): HttpMethod {
  return text === 'GET' || text === 'PUT' ? text : 'POST';
}

export function deliveryOf(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    uuid: row.uuid,
    position: row.position,
    part: row.part,
    ref: row.ref,
    event: EVENT_NAMES.find((name) => name === row.event) ?? 'push',
    state: row.state,
    attempts: row.attempts,
    createdAt: row.created_at,
    sentAt: row.sent_at,
    durationMs: row.duration_ms,
    request: row.request === null ? null : JSON.parse(row.request),
    response: row.response === null ? null : JSON.parse(row.response),
    error: row.error,
    isRequested: row.requested_at !== null,
  };
}
