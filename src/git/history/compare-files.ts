import { invalid } from '../../base/core/failure.ts';
import type { Engine } from '../engine.ts';
import type { ObjectFormat, Oid } from '../format/model.ts';
import { emptyTreeOid } from '../format/object-format.ts';
import type {
  ComparedFiles,
  FileComparison,
  FileDifference,
  PathOnSide,
  Whitespace,
} from '../interface/file-diffs.ts';
import type { CommitOf } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import { type GitCommand, runGit } from '../processes/child.ts';
import { failedByLimit } from '../processes/git-failed-error.ts';
import { SAFE_DIFF, WHITESPACE } from './diff-flags.ts';
import { KnownComparisons } from './known-comparisons.ts';
import { PrintedDifferences } from './printed-differences.ts';
import { sharedObjects } from './shared-objects.ts';
import { withinMemory } from './within-memory.ts';

type Needs = Pick<Engine, 'completeFolder'>;

/** Compares the trees of two commits file by file. The result never changes, so the last ones are cached. */
export class FileComparisons {
  readonly #engine: Needs;
  readonly #known = new KnownComparisons<PrintedDifferences>({
    sizeMax: GIT_LIMITS.comparedFilesCachedBytesMax,
    // A comparison of 100,000 files takes seconds, and has 2,000 pages.
    entrySizeMax: GIT_LIMITS.comparedFilesCachedBytesMax,
    sizeOf: ({ bytes }) => bytes,
  });

  constructor(engine: Needs) {
    this.#engine = engine;
  }

  async compare(from: CommitOf | null, to: CommitOf, options: FileComparison): Promise<ComparedFiles> {
    const differences = await this.#between(from, to, options.whitespace);
    if (differences === null)
      return { files: [], total: { files: 0, additions: 0, deletions: 0 }, skipped: 0 };
    const { total } = differences;
    const { skipTo, slice = { offset: 0, limit: total.files } } = options;
    const skipped = skipTo === undefined ? 0 : differences.countBefore(skipTo);
    const files = differences.files({ ...slice, offset: slice.offset + skipped });
    return { files, total, skipped };
  }

  async find(
    from: CommitOf | null,
    to: CommitOf,
    at: PathOnSide,
    { whitespace }: Pick<FileComparison, 'whitespace'>,
  ): Promise<FileDifference | undefined> {
    return (await this.#between(from, to, whitespace))?.find(at);
  }

  /** Returns null for equal trees. */
  async #between(
    from: CommitOf | null,
    to: CommitOf,
    whitespace: Whitespace,
  ): Promise<PrintedDifferences | null> {
    const [before, after] = await treesOf(from, to);
    if (before === after) return null;
    return this.#known.find(`${before} ${after} ${whitespace}`, async (signal) => {
      const location = await sharedObjects(this.#engine, to.snapshot, (from ?? to).snapshot);
      return compareTrees({ location, before, after, whitespace, format: to.snapshot.objectFormat }, signal);
    });
  }
}

interface TreePair {
  readonly location: Pick<GitCommand, 'gitDir' | 'alsoReads'>;
  readonly before: Oid;
  readonly after: Oid;
  readonly whitespace: Whitespace;
  readonly format: ObjectFormat;
}

/** Lets git compare two trees. If there is too much to count, finds only the names of the files that differ. */
async function compareTrees(
  { location, before, after, whitespace, format }: TreePair,
  signal: AbortSignal,
): Promise<PrintedDifferences> {
  const counting = { args: [...argumentsFor(whitespace), before, after], ...location };
  const counted = await unlessTooMuch(withinMemory(counting, (command) => print(command, signal)));
  if (counted !== undefined)
    return PrintedDifferences.read(counted, format, { leavesOutEqual: whitespace !== 'show-all' });
  const args = [...NAMES_ONLY, before, after];
  const memoryBytesMax = GIT_LIMITS.gitComparisonBytesMax;
  const named = await unlessTooMuch(print({ args, memoryBytesMax, ...location }, signal));
  if (named === undefined) throw invalid('there are too many changes to compare');
  return PrintedDifferences.read(named, format, { leavesOutEqual: false });
}

const NAMES_ONLY: readonly string[] = ['diff-tree', '-r', '-z', '--raw', '--no-renames'];

/** @see git-diff-tree(1) */
function argumentsFor(whitespace: Whitespace): readonly string[] {
  const renames = ['--find-renames', `-l${GIT_LIMITS.renamesSoughtMax}`];
  return ['diff-tree', '-r', '-z', '--raw', '--numstat', ...renames, ...WHITESPACE[whitespace], ...SAFE_DIFF];
}

async function print(command: GitCommand, signal: AbortSignal): Promise<Buffer> {
  const { stdout } = await runGit(command, {
    slots: null,
    deadlineMs: GIT_LIMITS.comparedFilesMs,
    stdoutBytesMax: GIT_LIMITS.comparedFilesBytesMax,
    lowPriorityAfterMs: GIT_LIMITS.comparedFilesInHasteMs,
    signal,
  });
  return stdout;
}

/** Returns undefined if it takes git too much time, memory or output. */
async function unlessTooMuch(printing: Promise<Buffer>): Promise<Buffer | undefined> {
  try {
    return await printing;
  } catch (error) {
    if (!failedByLimit(error)) throw error;
    return undefined;
  }
}

/** Returns the trees of two commits. @param from null: an empty tree */
export async function treesOf(from: CommitOf | null, to: CommitOf): Promise<readonly [Oid, Oid]> {
  return Promise.all([from === null ? emptyTreeOid(to.snapshot.objectFormat) : treeOf(from), treeOf(to)]);
}

async function treeOf({ snapshot, oid }: CommitOf): Promise<Oid> {
  return (await snapshot.objects.readCommit(oid)).tree;
}
