import { offsetOf, type Page, type Paging } from '../../../base/core/paging.ts';
import type { Db } from '../../../base/database/database.ts';
import { type Fragment, fragment, raw } from '../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../base/database/query.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import type { IssueOrder } from '../model.ts';
import { matchesNone, type Part, partsOf } from './conditions.ts';
import { countParts, countsOfRepository } from './counts.ts';
import { isAscending, ORDERS, type Order, reversed } from './orders.ts';
import { type Row, rangesBetween } from './ranges.ts';
import { startBefore } from './seek.ts';
import { SortedList } from './sorted.ts';
import {
  type IssueSelection,
  indexOfTimes,
  isCovered,
  matchesOf,
  narrowestWay,
  unionOf,
  type Way,
} from './ways.ts';

export interface OrderedSelection extends IssueSelection {
  readonly order: IssueOrder;
}

/**
 * Lists the ids of issues of a repository: a page, and the number of all.
 *
 * The most selective link, milestone or author of the selection drives the query. If there are many matches and its
 * index lacks the order of the list, the index of that order drives the query instead, and each issue is checked. A
 * page of the second half is read from the end.
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
  const counted = (await countParts(db, narrowest, selection)).filter(({ count }) => count > 0);
  const total = counted.reduce((sum, { count }) => sum + count, 0);
  const offset = offsetOf(paging);
  const count = Math.min(paging.limit, total - offset);
  if (count <= 0) return { items: [], total };
  const fromEnd = total - offset - count;
  const isFromEnd = fromEnd < offset;
  const order = ORDERS[selection.order];
  const nearer = Math.min(offset, fromEnd);
  const found = await listBy(db, narrowest, selection, {
    parts: counted.map(({ part }) => part),
    order: isFromEnd ? reversed(order) : order,
    total,
    reached: nearer + count,
  });
  const { list, isIndexed } = found;
  const counts = counted.map((each) => each.count);
  const start = isIndexed ? await startBefore(db, list, counts, nearer) : { from: undefined, offset: nearer };
  const ranges = rangesBetween(list, start.from);
  const rows = await query<Row>(db, list.pageOf(db, list.parts, ranges, { count, offset: start.offset }));
  const ids = rows.map(({ id }) => id);
  return { items: isFromEnd ? ids.toReversed() : ids, total };
}

/**
 * Finds and counts the matches in one query, because checking them takes long.
 *
 * @returns undefined for a page behind the last one
 */
async function pageOfFew(
  db: Db,
  way: Way,
  selection: OrderedSelection,
  paging: Paging,
): Promise<Page<number> | undefined> {
  const found = { sortedBy: indexOfTimes(selection) };
  const list = new SortedList(way, selection, partsOf(selection), ORDERS[selection.order], found);
  const rows = await query<{ id: number; total: number }>(
    db,
    fragment`select id, count(*) over () as total from (${unionOf(list.parts.map((part) => list.rowsOf(part)))}) matches
      ${list.orderBy} limit ${paging.limit} offset ${offsetOf(paging)}`,
  );
  const [first] = rows;
  return first && { items: rows.map(({ id }) => id), total: Number(first.total) };
}

/** A page of many matches. */
interface Wanted {
  /** parts that have matches */
  readonly parts: readonly Part[];
  readonly order: Order;
  readonly total: number;
  /** matches up to the last one of the page, from the nearer end */
  readonly reached: number;
}

/** A list, and whether its pages can be found by indexes alone. */
interface Found {
  readonly list: SortedList;
  /** The indexes have the order of the list, and cover all conditions. */
  readonly isIndexed: boolean;
}

/** Decides how the issues of a page are found. */
async function listBy(db: Db, narrowest: Way, selection: IssueSelection, wanted: Wanted): Promise<Found> {
  const { parts, order, total, reached } = wanted;
  const isMany = total > ISSUE_LIMITS.issuesSortedMax;
  const sortedBy = isMany ? order.index : indexOfTimes(selection);
  if (!isMany || hasOrder(narrowest, selection, order)) {
    const check = narrowest.isLong === true && reached > ISSUE_LIMITS.issuesSortedMax ? 'lists' : 'rows';
    const isOfTimes = narrowest.by === 'order' && indexOfTimes(selection) === 'updated';
    const more = isMany && isOfTimes && order.isById ? await boundOf(db, selection, wanted) : [];
    const list = new SortedList(narrowest, selection, parts, order, { sortedBy, check, more });
    return { list, isIndexed: isMany && isCovered(narrowest, selection) };
  }
  const { open, closed } = await countsOfRepository(db, selection.repositoryId);
  const visited = (reached * (open + closed)) / total;
  const check = visited > ISSUE_LIMITS.issuesCheckedOneByOneMax ? 'lists' : 'rows';
  const list = new SortedList({ by: 'order' }, selection, parts, order, { sortedBy, check });
  return { list, isIndexed: false };
}

/** Whether an index of a way has the order of a list. */
function hasOrder(way: Way, { milestones }: IssueSelection, { isById }: Order): boolean {
  switch (way.by) {
    case 'order':
      return true;
    case 'link':
      return way.link.subjectIds.length === 1;
    case 'milestones':
      return isById && milestones?.length === 1;
    case 'author':
      return isById;
  }
}

/**
 * Makes a list by number begin with the first issue in its range of time, if most issues are outside of the range.
 * Otherwise the query might visit all issues outside of the range first.
 */
async function boundOf(
  db: Db,
  selection: IssueSelection,
  { parts, order, total }: Wanted,
): Promise<readonly Fragment[]> {
  const { open, closed } = await countsOfRepository(db, selection.repositoryId);
  if (total > (open + closed) * SHARE_BOUND_MAX) return [];
  const [first, after] = isAscending(order) ? [raw('min'), raw('>=')] : [raw('max'), raw('<=')];
  const ofParts = parts.map((part) => {
    const found = matchesOf({ by: 'order' }, selection, part, {
      keys: [raw('i.number')],
      sortedBy: 'updated',
    });
    return fragment`select ${first}(k0) as number from (${found}) found`;
  });
  const row = await queryFirst<{ number: number | null }>(
    db,
    fragment`select ${first}(number) as number from (${unionOf(ofParts)}) parts`,
  );
  return typeof row?.number === 'number' ? [fragment`i.number ${after} ${row.number}`] : [];
}

/** Beyond this share of all issues, finding the first one takes as long as visiting the issues that it saves. */
const SHARE_BOUND_MAX = 0.3;
