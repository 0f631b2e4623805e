import type { Insertable, Updateable } from 'kysely';
import type { Page, Paging } from '../../../base/core/paging.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, fragment, raw } from '../../../base/database/fragment.ts';
import { query, queryCount, queryFirst, queryPage } from '../../../base/database/query.ts';
import type { WebhooksTable } from '../../../base/database/schema/events.ts';
import type { DeliveringHook, HookPlace } from '../model.ts';
import { HOOK_COLUMNS, type HookRow, hookOf } from './rows.ts';

/** On `webhooks w`. */
function isAt(place: HookPlace): Fragment {
  switch (place.of) {
    case 'repository':
      return fragment`w.repository_id = ${place.repositoryId}`;
    case 'user':
    case 'organization':
      return fragment`w.owner_id = ${place.accountId}`;
    case 'site':
      return raw("w.scope in ('system', 'default')");
  }
}

/** Lists the webhooks of a place, the oldest first. */
export function listHooks(db: Db, place: HookPlace, paging: Paging): Promise<Page<DeliveringHook>> {
  const from = fragment`webhooks w where ${isAt(place)}`;
  return queryPage<HookRow, DeliveringHook>(
    db,
    { select: HOOK_COLUMNS, from, orderBy: raw('w.id') },
    paging,
    hookOf,
  );
}

export function countHooks(db: Db, place: HookPlace): Promise<number> {
  return queryCount(db, fragment`webhooks w where ${isAt(place)}`);
}

export async function findHook(db: Db, place: HookPlace, id: number): Promise<DeliveringHook | undefined> {
  const row = await queryFirst<HookRow>(
    db,
    fragment`select ${HOOK_COLUMNS} from webhooks w where w.id = ${id} and ${isAt(place)}`,
  );
  return row && hookOf(row);
}

export async function listDefaultHooks(db: Db): Promise<readonly DeliveringHook[]> {
  const rows = await query<HookRow>(
    db,
    fragment`select ${HOOK_COLUMNS} from webhooks w where w.scope = 'default' order by w.id`,
  );
  return rows.map(hookOf);
}

/** @returns the id of the last one */
export async function insertHooks(tx: Tx, rows: readonly Insertable<WebhooksTable>[]): Promise<number> {
  const inserted = await tx
    .insertInto('webhooks')
    .values([...rows])
    .returning('id')
    .execute();
  return Math.max(...inserted.map(({ id }) => id));
}

export async function setHook(tx: Tx, id: number, columns: Updateable<WebhooksTable>): Promise<void> {
  await tx.updateTable('webhooks').set(columns).where('id', '=', id).execute();
}

export async function deleteHook(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('webhooks').where('id', '=', id).execute();
}
