import { LIMITS } from '../../core/limits.ts';
import { offsetOf, type Page, type Paging } from '../../core/paging.ts';
import { type Db, dialectOf } from '../../database/database.ts';
import { type Fragment, fragment, joined, raw } from '../../database/fragment.ts';
import { query, queryCount, queryFirst } from '../../database/query.ts';
import type { RepositoryId } from '../../git/model.ts';
import type { IssueOrder } from '../model.ts';
import { matchesNone, type Part, partsOf } from './conditions.ts';
import { ORDERS, type Order, reversed } from './orders.ts';
import {
  checksOf,
  type IssueSelection,
  matchesOf,
  narrowestWay,
  type SortKeys,
  unionOf,
  type Way,
} from './ways.ts';

export interface OrderedSelection extends IssueSelection {
  readonly order: IssueOrder;
}

/**
 * Lists the ids of issues of a repository: a page, and the number of all.
 *
 * The issues are found by the most selective of the links, milestones or authors of the selection. In another order than
 * by number, many of them are found along the index of that order instead, and each is checked, unless links have the
 * order. A page of the second half is read from the end.
 */
export async function listIssueIds(
  db: Db,
  selection: OrderedSelection,
  paging: Paging,
): Promise<Page<number>> {
  if (matchesNone(selection)) return { items: [], total: 0 };
  const narrowest = await narrowestWay(db, selection);
  const few = narrowest.isLong === false ? await pageOfFew(db, narrowest, selection, paging) : undefined;
  if (few !== undefined) return few;
  const total = await countAll(db, narrowest, selection);
  const order = ORDERS[selection.order];
  const isOfLinks = narrowest.by === 'link' && order.ofLinks !== undefined;
  const isWalked = !order.isById && !isOfLinks && total > LIMITS.issuesSortedMax;
  const offset = offsetOf(paging);
  const count = Math.min(paging.limit, total - offset);
  if (count <= 0) return { items: [], total };
  const fromEnd = total - offset - count;
  const isFromEnd = fromEnd < offset;
  const isLate = Math.min(offset, fromEnd) > LIMITS.issuesSortedMax;
  const way: Way = isWalked ? { by: 'order', isLong: isLate } : { ...narrowest, isLong: false };
  const ordered = inOrder(way, selection, isFromEnd ? reversed(order) : order);
  const rows = await query<{ id: number }>(db, pageOf(db, ordered, count, isFromEnd ? fromEnd : offset));
  const ids = rows.map(({ id }) => id);
  return { items: isFromEnd ? ids.toReversed() : ids, total };
}

/** Finds and counts the matches at once: to check them takes long. @returns undefined for a page behind the last one */
async function pageOfFew(
  db: Db,
  way: Way,
  selection: OrderedSelection,
  paging: Paging,
): Promise<Page<number> | undefined> {
  const { parts, orderBy } = inOrder(way, selection, ORDERS[selection.order]);
  const rows = await query<{ id: number; total: number }>(
    db,
    fragment`select id, count(*) over () as total from (${unionOf(parts)}) matches
      ${orderBy} limit ${paging.limit} offset ${offsetOf(paging)}`,
  );
  const [first] = rows;
  return first && { items: rows.map(({ id }) => id), total: Number(first.total) };
}

interface OrderedParts {
  readonly parts: readonly Fragment[];
  readonly orderBy: Fragment;
}

function inOrder(way: Way, selection: IssueSelection, order: Order): OrderedParts {
  const sortedBy = keysOf(way, order);
  const parts = partsOf(selection).map((part) => matchesOf(way, selection, part, sortedBy, 'lists'));
  const names = sortedBy === 'id' ? [raw('id')] : sortedBy.columns.map((_, at) => raw(`k${at}`));
  const columns = names.map((name) => fragment`${name} ${order.direction}`);
  return { parts, orderBy: fragment`order by ${joined(columns, ', ')}` };
}

/** Each part comes in order by an index, or is sorted; the databases merge them. */
function pageOf(db: Db, { parts, orderBy }: OrderedParts, count: number, offset: number): Fragment {
  // PostgreSQL finds the order of an index only in a statement of its own, and would sort all matches. SQLite needs no help.
  const merged =
    dialectOf(db) === 'sqlite' || parts.length === 1
      ? unionOf(parts)
      : unionOf(
          parts.map(
            (part, at) =>
              fragment`select * from (${part} ${orderBy} limit ${offset + count}) ${raw(`part${at}`)}`,
          ),
        );
  return fragment`${merged} ${orderBy} limit ${count} offset ${offset}`;
}

function keysOf(way: Way, { keys, ofLinks, isById }: Order): SortKeys {
  if (isById) return way.by === 'order' ? { columns: [raw('i.number')], areOfLinks: false } : 'id';
  const areOfLinks = way.by === 'link' && ofLinks !== undefined;
  return { columns: areOfLinks ? ofLinks : keys, areOfLinks };
}

async function countAll(db: Db, way: Way, selection: IssueSelection): Promise<number> {
  let total = 0;
  for (const part of partsOf(selection)) total += await countPart(db, way, selection, part);
  return total;
}

async function countPart(db: Db, way: Way, selection: IssueSelection, part: Part): Promise<number> {
  const isWhole = way.by === 'order' && checksOf(way, selection).checks.length === 0;
  if (isWhole && !part.isPull) return countOfRepository(db, selection.repositoryId, part);
  return queryCount(db, fragment`(${matchesOf(way, selection, part, 'id', 'lists')}) x`);
}

/** The repository counts its issues. */
async function countOfRepository(db: Db, id: RepositoryId, { isClosed }: Part): Promise<number> {
  const column = raw(isClosed ? 'closed_issues_count' : 'open_issues_count');
  const row = await queryFirst<{ total: number }>(
    db,
    fragment`select ${column} as total from repositories where id = ${id}`,
  );
  return row?.total ?? 0;
}
