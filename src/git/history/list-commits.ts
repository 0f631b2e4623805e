import { invalid } from '../../base/core/failure.ts';
import { SharedWork } from '../../base/core/fairness/shared-work.ts';
import type { Slice } from '../../base/core/paging.ts';
import type { IndexedRepository, RangeOfOids } from '../changes/change-index.ts';
import type { Engine } from '../engine.ts';
import type { CommitTimes } from '../format/commit-times.ts';
import { areNever } from '../format/commit-times.ts';
import type { Oid } from '../format/model.ts';
import { bytesOfPath, isQuotedPath } from '../format/name-bytes.ts';
import type { CommitRange, GainedCommits } from '../interface/history.ts';
import type { Snapshot } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import type { GitCommand } from '../processes/child.ts';
import { slotsFor } from '../processes/process-slots.ts';
import { sharedObjects } from './shared-objects.ts';
import { listOfOneSide } from './two-sides.ts';
import { listNewest } from './unindexed.ts';
import { requireCommit, walk } from './walk.ts';

type Needs = Pick<Engine, 'changes' | 'completeFolder'>;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export const HISTORY_SLOTS = slotsFor('walks through histories', GIT_LIMITS.lastCommitWalksAtOnceMax);
const LISTS = new SharedWork<readonly Oid[] | undefined>();
const COUNTS = new SharedWork<number | undefined>();

/**
 * Asks the change index, and git for what is not indexed.
 *
 * @see git-rev-list(1)
 */
export async function listCommits(engine: Needs, range: CommitRange, slice: Slice): Promise<readonly Oid[]> {
  if (range.times !== undefined && areNever(range.times)) return [];
  const known = await shared(LISTS, [range, slice], (signal) => listKnown(engine, range, slice, signal));
  if (known !== undefined) return known;
  const args = [`--max-count=${slice.limit}`, `--skip=${slice.offset}`];
  const listed = await walkRange(engine, range, args);
  return listed.split('\n').filter((line) => line !== '');
}

export async function countCommits(engine: Needs, range: CommitRange): Promise<number> {
  if (range.times !== undefined && areNever(range.times)) return 0;
  const known = await shared(COUNTS, [range], (signal) => countIndexed(engine, range, signal));
  return known ?? Number(await walkRange(engine, range, ['--count']));
}

/** See `History`. */
export async function listGained(
  engine: Needs,
  snapshot: Snapshot,
  { tip, base }: { readonly tip: Oid; readonly base: Oid | null },
  limit: number,
): Promise<GainedCommits> {
  const few = await listOfOneSide(snapshot.objects, [tip, base]);
  if (few !== undefined) return { oids: few.slice(0, limit), total: few.length };
  const without = base === null ? [] : [{ snapshot, oid: base }];
  const range: CommitRange = { head: { snapshot, oid: tip }, without, path: null };
  const total = await countCommits(engine, range);
  return { oids: total === 0 ? [] : await listCommits(engine, range, { limit, offset: 0 }), total };
}

async function listKnown(
  engine: Needs,
  range: CommitRange,
  { limit, offset }: Slice,
  signal: AbortSignal,
): Promise<readonly Oid[] | undefined> {
  const indexed = await findIndexed(engine, range);
  if (indexed === undefined) return undefined;
  const { listed, repository, older } = indexed;
  const page = listed.slice(offset, offset + limit);
  if (older === undefined || page.length === limit) return page;
  const rest = { limit: limit - page.length, offset: Math.max(0, offset - listed.length) };
  const found = await engine.changes.list(repository, older, rest, signal);
  return found && [...page, ...found];
}

/** Counts commits as far as the change index knows them. @returns undefined if it does not know enough */
export async function countIndexed(
  engine: Needs,
  range: CommitRange,
  signal: AbortSignal,
): Promise<number | undefined> {
  const indexed = await findIndexed(engine, range);
  if (indexed === undefined) return undefined;
  const { listed, repository, older } = indexed;
  const count = older === undefined ? 0 : await engine.changes.count(repository, older, signal);
  return count === undefined ? undefined : listed.length + count;
}

/** Runs a walk through the index. Each caller takes a slot, and equal walks run once, until the last caller leaves. */
function shared<T>(
  walks: SharedWork<T>,
  [range, slice]: readonly [CommitRange, Slice?],
  walkIndex: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { head, without, path, times } = range;
  const others = without.map(({ snapshot, oid }) => [snapshot.id, oid]);
  const key = JSON.stringify([head.snapshot.id, head.oid, others, path, times, slice]);
  return HISTORY_SLOTS.run(() => walks.run(key, walkIndex));
}

/** A range as the change index knows it: without its newest commits. */
interface IndexedPart {
  readonly repository: IndexedRepository;
  /** the newest commits, which are not indexed yet */
  readonly listed: readonly Oid[];
  /** undefined: these are all */
  readonly older: RangeOfOids | undefined;
}

/**
 * Returns undefined for ranges of which the index does not know enough. With a path, git prefers the parents that are
 * not excluded, so the index cannot exclude commits there.
 */
async function findIndexed(engine: Needs, range: CommitRange): Promise<IndexedPart | undefined> {
  const { head, without, path, times } = range;
  const { id, objectFormat: format } = head.snapshot;
  if (without.some(({ snapshot }) => snapshot.id !== id)) return undefined;
  if (path !== null && without.length > 0) return undefined;
  const repository = { id, format, folder: await engine.completeFolder(id, format) };
  const isIndexed = (oid: Oid) => engine.changes.has(repository, oid);
  if (!without.every(({ oid }) => isIndexed(oid))) return undefined;
  const newest = await listNewest(range, isIndexed);
  if (newest === undefined) return undefined;
  const { listed, next } = newest;
  const excluded = without.map(({ oid }) => oid);
  const older = next === undefined ? undefined : { head: next, without: excluded, path, times };
  return { repository, listed, older };
}

async function walkRange(engine: Needs, range: CommitRange, args: readonly string[]): Promise<string> {
  const { head, without, path, times } = range;
  await Promise.all([head, ...without].map(requireCommit));
  const [other = head] = without;
  const location = await sharedObjects(engine, head.snapshot, other.snapshot);
  const command: GitCommand = {
    args: [
      '--literal-pathspecs',
      'rev-list',
      ...args,
      ...argumentsFor(times),
      '--stdin',
      ...pathArguments(path),
    ],
    ...location,
  };
  const commits = [head.oid, ...without.map(({ oid }) => `^${oid}`)];
  return walk(command, Buffer.concat([Buffer.from(`${commits.join('\n')}\n`), pathInput(path)]));
}

/** An argument of a program is UTF-8. */
function pathArguments(path: string | null): readonly string[] {
  return path === null || isQuotedPath(path) ? [] : ['--', path];
}

/**
 * In the input, a path may have any bytes except a line feed. git drops a carriage return at its end.
 *
 * @throws ForgeError `invalid`
 */
function pathInput(path: string | null): Buffer {
  if (path === null || !isQuotedPath(path)) return Buffer.alloc(0);
  const bytes = bytesOfPath(path);
  if (bytes.includes(LINE_FEED) || bytes.at(-1) === CARRIAGE_RETURN)
    throw invalid('git cannot list the commits of this path');
  return Buffer.concat([Buffer.from('--\n'), bytes, Buffer.from('\n')]);
}

/** git's `--since` ends a walk at the first older commit, behind which there may be newer ones. */
function argumentsFor(times: CommitTimes | undefined): readonly string[] {
  const { since = null, until = null } = times ?? {};
  return [
    ...(since === null ? [] : [`--since-as-filter=@${since} +0000`]),
    ...(until === null ? [] : [`--min-age=${until}`]),
  ];
}
