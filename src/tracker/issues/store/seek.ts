import type { Db } from '../../../base/database/database.ts';
import { queryFirst } from '../../../base/database/query.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import type { Part } from './conditions.ts';
import { type Row, rangesBetween } from './ranges.ts';
import { countEach, type SortedList } from './sorted.ts';
import { unionOf } from './ways.ts';

// Finds a late page of a list in several parts. Merging costs several times as much for each row as counting. So this
// code looks up a few rows, counts the parts up to them, and merges only the rows after them.

/** Where the merge of the parts begins, and how many rows it then skips before the page. */
interface Start {
  /** the row at which the merge begins; undefined: the first row of the list */
  readonly from: Row | undefined;
  readonly offset: number;
}

/** @see Start */
interface Bracket extends Start {
  /** a row behind the page; undefined if no such row is known */
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
  for (let step = 0; step < STEPS_MAX && bracket.offset > ISSUE_LIMITS.issuesMergedMax; step += 1) {
    const next = await narrower(db, list, bracket);
    if (next === undefined) break;
    bracket = next;
  }
  return bracket;
}

/** Three steps suffice unless the rows of a part are spread very unevenly among the rows of the other parts. */
const STEPS_MAX = 6;

/** @returns undefined if rows were deleted at the same time */
async function narrower(
  db: Db,
  list: SortedList,
  { from, to, offset, counts }: Bracket,
): Promise<Bracket | undefined> {
  const most = Math.max(...counts);
  const largest = counts.indexOf(most);
  // A row that is a little too early is better than one that is a little too late.
  const aim = offset - ISSUE_LIMITS.issuesMergedMax / 2;
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
