import type { Slice } from '../../base/core/paging.ts';
import type { CommitTimes } from '../format/commit-times.ts';
import { isWithin } from '../format/commit-times.ts';
import type { Oid } from '../format/model.ts';
import { GIT_LIMITS } from '../limits.ts';
import { History } from './history.ts';
import { NewestFirst } from './newest-first.ts';
import { PathHistory } from './path-history.ts';
import { ReachableCommits } from './reachable-commits.ts';
import { NONE } from './segments/format.ts';
import type { SegmentFile } from './segments/segment-file.ts';

/** As `RangeOfOids`, with numbers of commits. With a path, `without` is empty. */
export interface IndexedRange {
  readonly head: number;
  readonly without: readonly number[];
  readonly path: string | null;
  readonly times?: CommitTimes | undefined;
}

/**
 * Lists commits, newest first. For a path, it makes a few searches for each commit that it passes, however long the
 * history is.
 *
 * @throws NotIndexedError; the reason of the signal
 */
export async function listHistory(
  files: readonly SegmentFile[],
  range: IndexedRange,
  { limit, offset }: Slice,
  signal: AbortSignal | undefined,
): Promise<readonly Oid[]> {
  const history = new History(files, signal);
  const numbers = range.path === null ? commits(history, range) : changes(history, range.head, range.path);
  const listed: Oid[] = [];
  let passed = 0;
  for await (const number of numbers) {
    if (!isWithin(range.times, history.secondsOf(number))) continue;
    passed += 1;
    if (passed > offset) listed.push(history.segmentOf(number).commit(number).oid);
    if (listed.length === limit) break;
  }
  return listed;
}

/** Counts the commits of a range. @throws as `listHistory` */
export async function countHistory(
  files: readonly SegmentFile[],
  { head, without, path, times }: IndexedRange,
  signal: AbortSignal | undefined,
): Promise<number> {
  const history = new History(files, signal);
  if (path !== null && times !== undefined) return countWithin(history, times, changes(history, head, path));
  if (path !== null) return new PathHistory(history, path).count(head);
  const excluded = without.length === 0 ? null : await ReachableCommits.of(history, without);
  const reached = await ReachableCommits.of(history, [head]);
  if (times === undefined) return reached.countWithout(excluded);
  return countWithin(history, times, stepping(history, reached.numbersWithout(excluded)));
}

/** Counts the commits in a range of time. The index is not sorted by time, so this checks each commit. */
async function countWithin(
  history: History,
  times: CommitTimes,
  numbers: AsyncIterable<number>,
): Promise<number> {
  let count = 0;
  for await (const number of numbers) if (isWithin(times, history.secondsOf(number))) count += 1;
  return count;
}

async function* stepping(history: History, numbers: Iterable<number>): AsyncGenerator<number> {
  for (const number of numbers) {
    await history.step();
    yield number;
  }
}

/** An earlier count: the number of commits at a tip. */
interface KnownCount {
  readonly head: number;
  readonly total: number;
}

/**
 * Counts the commits at a tip from an earlier count.
 *
 * @returns undefined unless the new commits are a straight line on top of the earlier tip
 */
export function countSince(
  files: readonly SegmentFile[],
  { head, path }: IndexedRange,
  known: KnownCount,
): number | undefined {
  const history = new History(files, undefined);
  const changes = path === null ? undefined : new PathHistory(history, path);
  let { total } = known;
  let at = head;
  for (let chains = 0; chains < GIT_LIMITS.chainsCountedAgainMax && at !== NONE; chains += 1) {
    if (at === known.head) return total;
    const segment = history.segmentOf(at);
    const { start, attach } = segment.chainOf(at);
    const isReached = start <= known.head && known.head < at;
    const first = isReached ? known.head + 1 : start;
    if (segment.mergesBetween(first, at).length > 0) return undefined;
    total += changes === undefined ? at - first + 1 : changes.countOnChain(first, at);
    if (isReached) return total;
    at = attach;
  }
  return undefined;
}

async function* commits(history: History, { head, without }: IndexedRange): AsyncGenerator<number> {
  const excluded = without.length === 0 ? null : await ReachableCommits.of(history, without);
  const added = new Set<number>();
  const next = new NewestFirst();
  const add = (number: number) => {
    const isExcluded = excluded?.has(history.chainOf(number).start, number) ?? false;
    if (isExcluded || added.has(number)) return;
    added.add(number);
    next.add(number, history.secondsOf(number));
  };
  add(head);
  for (let number = next.take(); number !== undefined; number = next.take()) {
    await history.step();
    for (const parent of history.parentsOf(number)) add(parent);
    yield number;
  }
}

async function* changes(history: History, head: number, path: string): AsyncGenerator<number> {
  const found = new PathHistory(history, path);
  const next = new NewestFirst();
  const add = async (from: number) => {
    const number = await found.changeFrom(from);
    if (number !== undefined) next.add(number, history.secondsOf(number));
  };
  await add(head);
  for (let number = next.take(); number !== undefined; number = next.take()) {
    yield number;
    for (const parent of history.parentsOf(number)) await add(parent);
  }
}
