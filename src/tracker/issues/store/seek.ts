import { LIMITS } from '../../../base/core/limits.ts';
import type { Db } from '../../../base/database/database.ts';
import { queryFirst } from '../../../base/database/query.ts';
import type { Part } from './conditions.ts';
import { type Row, rangesBetween } from './ranges.ts';
import { countEach, type SortedList } from './sorted.ts';
import { unionOf } from './ways.ts';

// Finds a late page of a list in several parts. To merge the parts costs several times as much for each row as to count the
// rows of one. So a few rows are looked up, the parts are counted up to them, and only the rows after them are merged.

/** Where the parts of a list begin, and how many of their rows are still to be skipped up to a page. */
interface Start {
  /** The row that a list begins with; undefined: its first one. */
  readonly from: Row | undefined;
  readonly offset: number;
}

/** @see Start */
interface Bracket extends Start {
  /** a row behind the page; undefined: none is known */
  readonly to: Row | undefined;
  /** rows of each part from `from` up to `to` */
  readonly counts: readonly number[];
}

/** Finds a row shortly before a page. */
export async function startBefore(
  db: Db,
  list: SortedList,
  counts: readonly number[],
  offset: number,
): Promise<Start> {
  let bracket: Bracket = { from: undefined, to: undefined, offset, counts };
  // An index skips the rows of one part fast enough.
  if (list.parts.length === 1) return bracket;
  for (let step = 0; step < STEPS_MAX && bracket.offset > LIMITS.issuesMergedMax; step += 1) {
    const next = await narrower(db, list, bracket);
    if (next === undefined) break;
    bracket = next;
  }
  return bracket;
}

/** Parts may be in any order: three steps suffice unless one is far from evenly spread among the others. */
const STEPS_MAX = 6;

/** @returns undefined if rows have gone meanwhile */
async function narrower(
  db: Db,
  list: SortedList,
  { from, to, offset, counts }: Bracket,
): Promise<Bracket | undefined> {
  const most = Math.max(...counts);
  const largest = counts.indexOf(most);
  // A row that is a little too early is better than one that is a little too late.
  const aim = offset - LIMITS.issuesMergedMax / 2;
  const skipped = Math.floor((aim * most) / sumOf(counts));
  const part = list.parts[largest];
  if (part === undefined) return undefined;
  const ranges = rangesBetween(list, from, to);
  const row = await queryFirst<Row>(db, list.pageOf(db, [part], ranges, { count: 1, offset: skipped }));
  if (row === undefined) return undefined;
  const others = list.parts.filter((each) => each !== part);
  const passedOfOthers = await countUpTo(db, list, others, { from, to: row });
  const passed = counts.map((_, at) =>
    at === largest ? skipped : (passedOfOthers[at < largest ? at : at - 1] ?? 0),
  );
  const sum = sumOf(passed);
  if (sum > offset) return { from, to: row, offset, counts: passed };
  const left = counts.map((count, at) => count - (passed[at] ?? 0));
  return { from: row, to, offset: offset - sum, counts: left };
}

async function countUpTo(
  db: Db,
  list: SortedList,
  parts: readonly Part[],
  { from, to }: { from: Row | undefined; to: Row },
): Promise<readonly number[]> {
  const ranges = rangesBetween(list, from, to);
  return countEach(
    db,
    parts.map((part) => unionOf(ranges.map((range) => list.rowsOf(part, range)))),
  );
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
