import type { Page, Paging } from '../../../base/core/paging.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { fragment, raw } from '../../../base/database/fragment.ts';
import { query, queryFirst, queryPage } from '../../../base/database/query.ts';
import type { EventName } from '../event-names.ts';
import type { Attempt, Delivery, DeliveryState } from '../model.ts';
import { type DeliveryRow, deliveryOf } from './rows.ts';

/** What one delivery is about. */
export interface DeliveryKey {
  readonly hookId: number;
  readonly uuid: string;
  /** null: a test */
  readonly position: number | null;
  readonly part: number;
  readonly event: EventName;
}

/** Records an attempt at a delivery: its row has the last one. */
export async function recordAttempt(
  tx: Tx,
  { hookId, uuid, position, part, event }: DeliveryKey,
  attempt: Attempt,
  state: DeliveryState,
): Promise<void> {
  const response = attempt.response === null ? null : JSON.stringify(attempt.response);
  await query(
    tx,
    fragment`insert into webhook_deliveries (hook_id, uuid, position, part, event, state, attempts, created_at, sent_at,
        duration_ms, request, response, error)
      values (${hookId}, ${uuid}, ${position}, ${part}, ${event}, ${state}, 1, ${attempt.sentAt}, ${attempt.sentAt},
        ${attempt.durationMs}, ${JSON.stringify(attempt.request)}, ${response}, ${attempt.error})
      on conflict (hook_id, uuid) do update set state = excluded.state, attempts = webhook_deliveries.attempts + 1,
        sent_at = excluded.sent_at, duration_ms = excluded.duration_ms, request = excluded.request,
        response = excluded.response, error = excluded.error, requested_at = null`,
  );
}

/** Records that a test is wanted. */
export async function insertTest(
  tx: Tx,
  { hookId, uuid, ref, now }: { hookId: number; uuid: string; ref: string | null; now: number },
): Promise<void> {
  await query(
    tx,
    fragment`insert into webhook_deliveries (hook_id, uuid, part, ref, event, state, attempts, created_at, error,
        requested_at)
      values (${hookId}, ${uuid}, 0, ${ref}, 'push', 'requested', 0, ${now}, '', ${now})`,
  );
}

/** Lists the deliveries of a webhook, the newest first. */
export function listDeliveries(db: Db, hookId: number, paging: Paging): Promise<Page<Delivery>> {
  const from = fragment`webhook_deliveries d where d.hook_id = ${hookId}`;
  const list = { select: raw('d.*'), from, orderBy: raw('d.id desc') };
  return queryPage<DeliveryRow, Delivery>(db, list, paging, deliveryOf);
}

export async function findDelivery(db: Db, hookId: number, id: number): Promise<Delivery | undefined> {
  const row = await queryFirst<DeliveryRow>(
    db,
    fragment`select d.* from webhook_deliveries d where d.id = ${id} and d.hook_id = ${hookId}`,
  );
  return row && deliveryOf(row);
}

export async function countRequested(db: Db, hookId: number): Promise<number> {
  const row = await queryFirst<{ count: number }>(
    db,
    fragment`select count(*) as count from webhook_deliveries where hook_id = ${hookId} and requested_at is not null`,
  );
  return row?.count ?? 0;
}

export async function setRequested(tx: Tx, id: number, now: number): Promise<void> {
  await query(tx, fragment`update webhook_deliveries set requested_at = ${now} where id = ${id}`);
}

/** Finds the delivery of which another attempt, or the first of a test, was requested the longest ago. */
export async function findRequested(db: Db, hookId: number): Promise<Delivery | undefined> {
  const row = await queryFirst<DeliveryRow>(
    db,
    fragment`select d.* from webhook_deliveries d where d.hook_id = ${hookId} and d.requested_at is not null
      order by d.requested_at, d.id limit 1`,
  );
  return row && deliveryOf(row);
}

/** Ends a request for an attempt that is not possible. */
export async function setImpossible(tx: Tx, id: number, error: string): Promise<void> {
  await query(
    tx,
    fragment`update webhook_deliveries set requested_at = null, error = ${error},
      state = case when state = 'requested' then 'failed' else state end where id = ${id}`,
  );
}

/** Deletes all but the newest deliveries of a webhook. */
export async function deleteSurplus(tx: Tx, hookId: number, kept: number): Promise<void> {
  await query(
    tx,
    fragment`delete from webhook_deliveries where hook_id = ${hookId} and requested_at is null and id <= (
      select d.id from webhook_deliveries d where d.hook_id = ${hookId} order by d.id desc limit 1 offset ${kept})`,
  );
}

/** Deletes deliveries from before a time, a bounded number at once. @returns how many */
export async function deleteOld(tx: Tx, before: number, limit: number): Promise<number> {
  const rows = await query<{ id: number }>(
    tx,
    fragment`delete from webhook_deliveries where id in (
      select id from webhook_deliveries where created_at < ${before} order by created_at limit ${limit}) returning id`,
  );
  return rows.length;
}
