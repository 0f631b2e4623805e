import { offsetOf, type Page, type Paging } from '../../../../base/core/paging.ts';
import { type Db, dialectOf } from '../../../../base/database/database.ts';
import { type Fragment, fragment, joined, raw } from '../../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../../base/database/query.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import { ISSUE_LIMITS } from '../../limits.ts';
import type { IssueOrder } from '../../model.ts';
import { matchesNone, type Partition, partitionsOf, unionOf } from './conditions.ts';
import {
  type DrivingIndex,
  type IssueSelection,
  isCovering,
  matchesIn,
  mostSelectiveIndex,
} from './driving-index.ts';
import { ORDERS, type Order } from './orders.ts';

export interface OrderedSelection extends IssueSelection {
  readonly order: IssueOrder;
}

/**
 * Lists the ids of issues of a repository: a page, and the number of all.
 *
 * The most selective link, milestone, author or branch of the selection drives the query. If it has many matches whose order
 * would cost a row of each, the index of the order drives the query instead.
 */
export async function listIssueIds(
  db: Db,
  selection: OrderedSelection,
  paging: Paging,
): Promise<Page<number>> {
  if (matchesNone(selection)) return { items: [], total: 0 };
  const selective = await mostSelectiveIndex(db, selection);
  const counted = await countPartitions(db, selective, selection);
  const partitions = counted.filter(({ count }) => count > 0).map(({ partition }) => partition);
  const total = counted.reduce((sum, { count }) => sum + count, 0);
  const offset = offsetOf(paging);
  if (offset >= total) return { items: [], total };
  const order = ORDERS[selection.order];
  const isSorted = total <= ISSUE_LIMITS.issuesSortedMax || hasKeys(selective, order);
  const index: DrivingIndex = isSorted ? selective : { by: 'order' };
  const rows = await query<{ id: number }>(
    db,
    pageOf(db, { index, selection, order, partitions }, { limit: paging.limit, offset }),
  );
  return { items: rows.map(({ id }) => id), total };
}

/** Whether the index has the columns of the order, so that sorting reads no rows. */
function hasKeys(index: DrivingIndex, { isById, keysInLinks }: Order): boolean {
  return index.by === 'order' || isById || (index.by === 'link' && keysInLinks !== null);
}

interface SortedList {
  readonly index: DrivingIndex;
  readonly selection: IssueSelection;
  readonly order: Order;
  readonly partitions: readonly Partition[];
}

/** Selects a page. Each partition is ordered by its index, or sorted; then the database merges the partitions. */
function pageOf(
  db: Db,
  { index, selection, order, partitions }: SortedList,
  { limit, offset }: { limit: number; offset: number },
): Fragment {
  const keys = keysIn(index, selection, order);
  const names = keys.map((_, at) => fragment`${raw(`k${at}`)} ${order.direction}`);
  const orderBy = fragment`order by ${joined(names, ', ')}`;
  const sorted = partitions.map((partition, at) => {
    const sorting = { keys, sortedBy: order.index, areKeysInLinks: order.keysInLinks !== null };
    const rows = matchesIn(partition, index, selection, sorting);
    // PostgreSQL uses the order of an index only in a statement with an order and a limit of its own.
    return dialectOf(db) === 'sqlite' || partitions.length === 1
      ? rows
      : fragment`select * from (${rows} ${orderBy} limit ${offset + limit}) ${raw(`partition${at}`)}`;
  });
  return fragment`${unionOf(sorted)} ${orderBy} limit ${limit} offset ${offset}`;
}

/** Columns of the driving index by which the rows are sorted. */
function keysIn(
  index: DrivingIndex,
  { milestones }: IssueSelection,
  { keys, keysInLinks, isById }: Order,
): readonly Fragment[] {
  if (index.by === 'link') return keysInLinks ?? keys;
  if (isById && index.by === 'order') return [raw('i.number')];
  // The sign keeps PostgreSQL from walking all issues in the order of their ids.
  const isSorted = index.by === 'branches' || (index.by === 'milestones' && (milestones?.length ?? 0) > 1);
  return isById && isSorted ? [raw('+i.id')] : keys;
}

interface CountedPartition {
  readonly partition: Partition;
  readonly count: number;
}

/** Counts the matches of each partition. Without a filter, the row of the repository has the counts. */
async function countPartitions(
  db: Db,
  index: DrivingIndex,
  selection: IssueSelection,
): Promise<readonly CountedPartition[]> {
  const partitions = partitionsOf(selection);
  const counts =
    index.by === 'order' && isCovering(index, selection)
      ? await storedCounts(db, selection.repositoryId, partitions)
      : await countEach(
          db,
          partitions.map((each) => matchesIn(each, index, selection)),
        );
  return partitions.map((partition, at) => ({ partition, count: counts[at] ?? 0 }));
}

/** Counts the rows of several statements at once. */
async function countEach(db: Db, statements: readonly Fragment[]): Promise<readonly number[]> {
  const counts = statements.map(
    (statement, at) =>
      fragment`(select count(*) from (${statement}) ${raw(`part${at}`)}) as ${raw(`n${at}`)}`,
  );
  const row = await queryFirst<Record<string, number>>(db, fragment`select ${joined(counts, ', ')}`);
  return statements.map((_, at) => Number(row?.[`n${at}`] ?? 0));
}

/** Reads the counts of whole partitions from the row of the repository. */
async function storedCounts(
  db: Db,
  id: RepositoryId,
  partitions: readonly Partition[],
): Promise<readonly number[]> {
  const columns = partitions.map(
    ({ isPull, isClosed }, at) =>
      `${isClosed ? 'closed' : 'open'}_${isPull ? 'pulls' : 'issues'}_count as n${at}`,
  );
  const row = await queryFirst<Record<string, number>>(
    db,
    fragment`select ${raw(columns.join(', '))} from repositories where id = ${id}`,
  );
  return partitions.map((_, at) => row?.[`n${at}`] ?? 0);
}
