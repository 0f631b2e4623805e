import { accountVisible } from '../../../api/access/store/account.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import { fromNearerEnd, offsetOf, type Page, type Paging } from '../../../base/core/paging.ts';
import type { Db } from '../../../base/database/database.ts';
import { type Fragment, fragment, joined, raw } from '../../../base/database/fragment.ts';
import { query, queryCount } from '../../../base/database/query.ts';
import type { Account, AccountOrder, AccountSearch } from '../model.ts';
import { type AccountRow, accountOf } from './accounts.ts';

type Direction = 'asc' | 'desc';

const ORDERS = {
  oldest: { columns: ['created_at', 'id'], direction: 'asc' },
  newest: { columns: ['created_at', 'id'], direction: 'desc' },
  alphabetically: { columns: ['lower_name'], direction: 'asc' },
  reversealphabetically: { columns: ['lower_name'], direction: 'desc' },
  recentupdate: { columns: ['updated_at', 'id'], direction: 'desc' },
  leastupdate: { columns: ['updated_at', 'id'], direction: 'asc' },
} as const satisfies Record<AccountOrder, { columns: readonly string[]; direction: Direction }>;

/** Filters of a list of users. */
export interface ListedUsers {
  /** leaves out users who are hidden from this viewer; null: leaves out none */
  readonly viewer: Viewer | null;
  /** leaves out deactivated users */
  readonly onlyActive: boolean;
}

export async function listUsers(
  db: Db,
  listed: ListedUsers,
  search: AccountSearch,
  paging: Paging,
): Promise<Page<Account>> {
  const conditions = [fragment`o.kind = 'user'`, ...searchConditions(search), ...listedConditions(listed)];
  const found = fragment`accounts o where ${joined(conditions, ' and ')}`;
  const total = await queryCount(db, found);
  const items = await findPage(db, found, { order: search.order ?? 'alphabetically', paging, total });
  return { items, total };
}

/** Reads a page. An index finds the ids of the page, and only the rows of the page are read in full. */
async function findPage(
  db: Db,
  found: Fragment,
  { order, paging, total }: { order: AccountOrder; paging: Paging; total: number },
): Promise<readonly Account[]> {
  const { columns, direction } = ORDERS[order];
  const { limit, offset, isFromEnd } = fromNearerEnd(
    { limit: paging.limit, offset: offsetOf(paging) },
    total,
  );
  if (limit === 0) return [];
  const scan = isFromEnd === (direction === 'asc') ? 'desc' : 'asc';
  const ordered = (alias: string, by: Direction) =>
    raw(columns.map((column) => `${alias}.${column} ${by}`).join(', '));
  const rows = await query<AccountRow>(
    db,
    fragment`select a.* from (
        select o.id from ${found} order by ${ordered('o', scan)} limit ${limit} offset ${offset}
      ) p join accounts a on a.id = p.id order by ${ordered('a', direction)}`,
  );
  return rows.map(accountOf);
}

function searchConditions({ words, id, hasSecondFactor }: AccountSearch): Fragment[] {
  const conditions: Fragment[] = [];
  if (words !== undefined && words !== '') {
    const pattern = likePattern(words);
    conditions.push(
      fragment`(o.lower_name like ${pattern} escape '\\' or lower(o.full_name) like ${pattern} escape '\\')`,
    );
  }
  if (id !== undefined) conditions.push(fragment`o.id = ${id}`);
  if (hasSecondFactor !== undefined)
    conditions.push(fragment`o.has_second_factor = ${hasSecondFactor ? 1 : 0}`);
  return conditions;
}

function listedConditions({ viewer, onlyActive }: ListedUsers): Fragment[] {
  return [
    ...(onlyActive ? [fragment`o.is_active = 1`] : []),
    ...(viewer === null ? [] : [fragment`${accountVisible(viewer)} = 1`]),
  ];
}

/** Returns a pattern for SQL's `like` that matches a lower-case text with `words` anywhere in it. */
export function likePattern(words: string): string {
  return `%${words.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
}
