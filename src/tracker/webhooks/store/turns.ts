import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, fragment, joined, raw, values } from '../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../base/database/query.ts';
import type { DeliveringHook, HookProgress } from '../model.ts';
import { HOOK_COLUMNS, type HookRow, hookOf } from './rows.ts';

/** What events are about: webhooks of these repositories and owners, and those of the site, may deliver them. */
export interface Concerned {
  readonly repositoryIds: readonly number[];
  readonly ownerIds: readonly number[];
}

/** On `webhooks`. */
function isConcerned({ repositoryIds, ownerIds }: Concerned): Fragment {
  const places = [raw("scope = 'system'")];
  if (repositoryIds.length > 0) places.push(fragment`repository_id in (${values(repositoryIds)})`);
  if (ownerIds.length > 0) places.push(fragment`owner_id in (${values(ownerIds)})`);
  return fragment`(${joined(places, ' or ')})`;
}

/** Whether events concern any active webhook. */
export async function hasConcerned(db: Db, concerned: Concerned): Promise<boolean> {
  const row = await queryFirst<{ id: number }>(
    db,
    fragment`select id from webhooks where is_active = 1 and ${isConcerned(concerned)} limit 1`,
  );
  return row !== undefined;
}

/**
 * Makes the active webhooks due that events concern, except those that wait for another attempt.
 *
 * @returns the shares of those that are due now
 */
export async function wakeHooks(tx: Tx, concerned: Concerned, now: number): Promise<readonly number[]> {
  const woken = await query<{ share_id: number; due_at: number }>(
    tx,
    fragment`update webhooks set wakes = wakes + 1, due_at = coalesce(due_at, ${now})
      where is_active = 1 and ${isConcerned(concerned)} returning share_id, due_at`,
  );
  return [...new Set(woken.filter((row) => row.due_at <= now).map((row) => row.share_id))];
}

/** Makes a webhook due now, whatever it waits for. */
export async function wakeHook(tx: Tx, id: number, now: number): Promise<void> {
  await query(tx, fragment`update webhooks set wakes = wakes + 1, due_at = ${now} where id = ${id}`);
}

/** Lists the shares that have webhooks which are due. */
export async function listDueShares(db: Db, now: number, limit: number): Promise<readonly number[]> {
  const rows = await query<{ share_id: number }>(
    db,
    fragment`select distinct share_id from webhooks where due_at <= ${now} limit ${limit}`,
  );
  return rows.map((row) => row.share_id);
}

/** Finds the webhook of a share that is due the longest. @param without ids of those that have their turn now */
export async function findDueHook(
  db: Db,
  shareId: number,
  { now, without }: { now: number; without: readonly number[] },
): Promise<DeliveringHook | undefined> {
  const others = without.length === 0 ? raw('') : fragment`and w.id not in (${values(without)})`;
  const row = await queryFirst<HookRow>(
    db,
    fragment`select ${HOOK_COLUMNS} from webhooks w where w.share_id = ${shareId} and w.due_at <= ${now} ${others}
      order by w.due_at, w.id limit 1`,
  );
  return row && hookOf(row);
}

/** Where a webhook stands, as the caller has read it. If it stands elsewhere, someone has moved it meanwhile. */
export type Standing = Pick<DeliveringHook, 'id'> & HookProgress;

/** @returns false if the webhook has been moved, deleted or made inactive meanwhile */
export async function moveHook(
  tx: Tx,
  from: Standing,
  to: HookProgress,
  { hasSucceeded }: { hasSucceeded: boolean },
): Promise<boolean> {
  const success = hasSucceeded ? raw(", failing_since = null, last_error = ''") : raw('');
  const rows = await query<{ id: number }>(
    tx,
    fragment`update webhooks set position = ${to.position}, part = ${to.part}, attempts = 0, retry_at = null,
        waiting_since = null ${success}
      where id = ${from.id} and position = ${from.position} and part = ${from.part} and is_active = 1 returning id`,
  );
  return rows.length > 0;
}

/** Records a failure after which the same delivery is tried again. @returns as `moveHook` */
export async function postponeHook(
  tx: Tx,
  from: Standing,
  { now, retryAt, error }: { now: number; retryAt: number; error: string },
): Promise<boolean> {
  const rows = await query<{ id: number }>(
    tx,
    fragment`update webhooks set attempts = attempts + 1, retry_at = ${retryAt}, due_at = ${retryAt},
        waiting_since = coalesce(waiting_since, ${now}), failing_since = coalesce(failing_since, ${now}),
        last_error = ${error}
      where id = ${from.id} and position = ${from.position} and part = ${from.part} and is_active = 1 returning id`,
  );
  return rows.length > 0;
}

/** Makes a webhook inactive. */
export async function stopHook(tx: Tx, id: number, now: number): Promise<void> {
  await query(
    tx,
    fragment`update webhooks set is_active = 0, stopped_at = ${now}, due_at = null, retry_at = null where id = ${id}`,
  );
}

/** Ends a turn: the webhook has nothing left to deliver, unless it was made due meanwhile. */
export async function restHook(tx: Tx, { id, wakes }: Pick<DeliveringHook, 'id' | 'wakes'>): Promise<void> {
  await query(tx, fragment`update webhooks set due_at = retry_at where id = ${id} and wakes = ${wakes}`);
}

/** Ends a turn: the webhook waits for its next one, behind the other webhooks of its share. */
export async function requeueHook(tx: Tx, id: number, dueAt: number): Promise<void> {
  await query(tx, fragment`update webhooks set due_at = ${dueAt} where id = ${id}`);
}

/** Makes a webhook deliver again all events after a position. */
export async function rewindHook(tx: Tx, id: number, position: number): Promise<void> {
  await query(
    tx,
    fragment`update webhooks set position = ${position}, part = 0, attempts = 0, retry_at = null, waiting_since = null
      where id = ${id} and position >= ${position}`,
  );
}
