import { type Db, dialectOf } from '../../../base/database/database.ts';
import { type Fragment, fragment, joined, raw } from '../../../base/database/fragment.ts';
import { queryFirst } from '../../../base/database/query.ts';
import type { Part } from './conditions.ts';
import { isAscending, type Order } from './orders.ts';
import { type Range, WHOLE } from './ranges.ts';
import {
  type IssueSelection,
  isOfSeveralMilestones,
  type MatchesWanted,
  matchesOf,
  unionOf,
  type Way,
} from './ways.ts';

/** The issues of a repository in an order. An index has each part in this order, or the database sorts it. */
export class SortedList {
  readonly parts: readonly Part[];
  readonly keys: readonly Fragment[];
  readonly isAscending: boolean;
  readonly #way: Way;
  readonly #selection: IssueSelection;
  readonly #order: Order;
  readonly #found: Pick<MatchesWanted, 'sortedBy' | 'check' | 'more'>;

  constructor(
    way: Way,
    selection: IssueSelection,
    parts: readonly Part[],
    order: Order,
    found: Pick<MatchesWanted, 'sortedBy' | 'check' | 'more'>,
  ) {
    this.parts = parts;
    this.keys = columnsOf(way, selection, order);
    this.isAscending = isAscending(order);
    this.#way = way;
    this.#selection = selection;
    this.#order = order;
    this.#found = found;
  }

  /** Selects the rows of a part that are in a range, in no order. */
  rowsOf(part: Part, { conditions }: Range = WHOLE): Fragment {
    return matchesOf(this.#way, this.#selection, part, {
      ...this.#found,
      keys: this.keys,
      more: [...(this.#found.more ?? []), ...conditions],
    });
  }

  get orderBy(): Fragment {
    return this.#orderBy(this.keys.map((_, at) => `k${at}`));
  }

  /**
   * Selects one page across parts and ranges. Within a part and range, an index has the rows in order, or the database
   * sorts them. The database then merges the parts and ranges.
   */
  pageOf(
    db: Db,
    parts: readonly Part[],
    ranges: readonly Range[],
    { count, offset }: { count: number; offset: number },
  ): Fragment {
    const streams = parts.flatMap((part) =>
      ranges.map((range) => ({ rows: this.rowsOf(part, range), orderBy: this.#orderIn(range), range })),
    );
    const [only] = streams;
    const page = fragment`limit ${count} offset ${offset}`;
    if (only !== undefined && streams.length === 1) return fragment`${only.rows} ${only.orderBy} ${page}`;
    const isOnSqlite = dialectOf(db) === 'sqlite';
    const merged = streams.map(({ rows, orderBy, range }, at) =>
      isOnSqlite && !range.isOfOneKey
        ? rows
        : // PostgreSQL uses the order of an index only in a separate statement. SQLite needs one for an expression.
          fragment`select * from (${rows} ${orderBy} limit ${offset + count}) ${raw(`part${at}`)}`,
    );
    return fragment`${unionOf(merged)} ${this.orderBy} ${page}`;
  }

  #orderIn({ isOfOneKey = false }: Range): Fragment {
    return isOfOneKey ? this.#orderBy(['k1']) : this.orderBy;
  }

  #orderBy(names: readonly string[]): Fragment {
    const columns = names.map((name) => fragment`${raw(name)} ${this.#order.direction}`);
    return fragment`order by ${joined(columns, ', ')}`;
  }
}

/** Counts the rows of several statements at once. */
export async function countEach(db: Db, statements: readonly Fragment[]): Promise<readonly number[]> {
  if (statements.length === 0) return [];
  const counts = statements.map(
    (statement, at) =>
      fragment`(select count(*) from (${statement}) ${raw(`part${at}`)}) as ${raw(`n${at}`)}`,
  );
  const row = await queryFirst<Record<string, number>>(db, fragment`select ${joined(counts, ', ')}`);
  return statements.map((_, at) => Number(row?.[`n${at}`] ?? 0));
}

/** Columns by which the rows of a way are sorted. */
function columnsOf(
  way: Way,
  selection: IssueSelection,
  { keys, ofLinks, isById }: Order,
): readonly Fragment[] {
  if (way.by === 'link') return ofLinks;
  if (!isById) return keys;
  if (way.by === 'order') return [raw('i.number')];
  return isOfSeveralMilestones(way, selection) ? [raw('+i.id')] : keys;
}
