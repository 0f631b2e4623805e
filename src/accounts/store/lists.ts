import { ACCOUNT_VISIBLE, visibleParameters } from '../../access/held.ts';
import type { Viewer } from '../../access/viewer.ts';
import { offsetOf, type Page, type Paging } from '../../core/paging.ts';
import { type Db, hotQuery, type Scalar } from '../../database/database.ts';
import type { Account, AccountOrder, AccountSearch } from '../model.ts';
import { type AccountRow, accountOf } from './accounts.ts';

const ORDERS = {
  oldest: { columns: ['created_at', 'id'], direction: 'asc' },
  newest: { columns: ['created_at', 'id'], direction: 'desc' },
  alphabetically: { columns: ['lower_name'], direction: 'asc' },
  reversealphabetically: { columns: ['lower_name'], direction: 'desc' },
  recentupdate: { columns: ['updated_at', 'id'], direction: 'desc' },
  leastupdate: { columns: ['updated_at', 'id'], direction: 'asc' },
} as const satisfies Record<AccountOrder, { columns: readonly string[]; direction: Direction }>;
type Direction = 'asc' | 'desc';

interface Condition {
  readonly sql: string;
  readonly parameters: readonly Scalar[];
}

/** Statements by their text: a few dozen at most, one for each order and set of conditions. */
const pages = new Map<string, ReturnType<typeof hotQuery<AccountRow>>>();
const counts = new Map<string, ReturnType<typeof hotQuery<{ total: number }>>>();

/** Which users a list holds. */
export interface ListedUsers {
  /** only those that it may know of; null: all */
  readonly viewer: Viewer | null;
  /** without those who were switched off */
  readonly onlyActive: boolean;
}

/** Users, a page of them and how many there are. */
export async function listUsers(
  db: Db,
  listed: ListedUsers,
  search: AccountSearch,
  paging: Paging,
): Promise<Page<Account>> {
  const conditions = [...searchConditions(search), ...listedConditions(listed)];
  const where = ["o.kind = 'user'", ...conditions.map((condition) => condition.sql)].join(' and ');
  const parameters = conditions.flatMap((condition) => condition.parameters);
  const count = remembered(counts, where, () => `select count(*) as total from accounts o where ${where}`);
  const [counted] = await count(db, parameters);
  const total = counted?.total ?? 0;
  const items = await pageOf(db, {
    where,
    parameters,
    order: search.order ?? 'alphabetically',
    paging,
    total,
  });
  return { items, total };
}

async function pageOf(
  db: Db,
  asked: {
    where: string;
    parameters: readonly Scalar[];
    order: AccountOrder;
    paging: Paging;
    total: number;
  },
): Promise<readonly Account[]> {
  const { where, parameters, paging, total } = asked;
  const { columns, direction } = ORDERS[asked.order];
  const offset = offsetOf(paging);
  const limit = Math.max(Math.min(paging.limit, total - offset), 0);
  if (limit === 0) return [];
  // What is skipped is read, so a page of the second half is looked for from the other end.
  const isNearEnd = offset > total / 2;
  const skipped = isNearEnd ? total - offset - limit : offset;
  const way = isNearEnd === (direction === 'asc') ? 'desc' : 'asc';
  const ordered = (alias: string, by: Direction) =>
    columns.map((column) => `${alias}.${column} ${by}`).join(', ');
  const key = `${where} ${asked.order} ${way}`;
  const page = remembered(
    pages,
    key,
    // The ids are found in an index; only the rows of the page itself are read whole.
    () => `select a.* from (select o.id from accounts o where ${where} order by ${ordered('o', way)}
      limit ? offset ?) p join accounts a on a.id = p.id order by ${ordered('a', direction)}`,
  );
  const rows = await page(db, [...parameters, limit, skipped]);
  return rows.map(accountOf);
}

function remembered<Row>(
  known: Map<string, ReturnType<typeof hotQuery<Row>>>,
  key: string,
  text: () => string,
): ReturnType<typeof hotQuery<Row>> {
  const query = known.get(key) ?? hotQuery<Row>(text());
  known.set(key, query);
  return query;
}

function searchConditions({ words, id }: AccountSearch): Condition[] {
  const conditions: Condition[] = [];
  if (words !== undefined && words !== '') {
    const pattern = likePattern(words);
    conditions.push({
      sql: "(o.lower_name like ? escape '\\' or lower(o.full_name) like ? escape '\\')",
      parameters: [pattern, pattern],
    });
  }
  if (id !== undefined) conditions.push({ sql: 'o.id = ?', parameters: [id] });
  return conditions;
}

function listedConditions({ viewer, onlyActive }: ListedUsers): Condition[] {
  const conditions: Condition[] = onlyActive ? [{ sql: 'o.is_active = 1', parameters: [] }] : [];
  if (viewer !== null)
    conditions.push({ sql: `${ACCOUNT_VISIBLE} = 1`, parameters: visibleParameters(viewer) });
  return conditions;
}

/** Finds `words` anywhere in a lower-case text. */
export function likePattern(words: string): string {
  return `%${words.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
}
