import { invalid } from '../../base/core/failure.ts';
import { SharedWork } from '../../base/core/fairness/shared-work.ts';
import { createSizedCache } from '../../base/core/sized-cache.ts';
import type { Engine } from '../engine.ts';
import type { Oid } from '../format/model.ts';
import type { ComparedFiles, FileComparison } from '../interface/file-diffs.ts';
import type { CommitOf } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import { runGit } from '../processes/child.ts';
import { GitFailedError, wasTooMuch } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';
import { SAFE_DIFF, WHITESPACE } from './diff-flags.ts';
import { PrintedDifferences } from './printed-differences.ts';
import { sharedObjects } from './shared-objects.ts';

type Needs = Pick<Engine, 'completeFolder'>;

interface Compared {
  readonly from: CommitOf;
  readonly to: CommitOf;
  readonly before: Oid;
  readonly after: Oid;
}

/** Compares the trees of two commits file by file. The result never changes, so the last ones are cached. */
export class FileComparisons {
  readonly #engine: Needs;
  readonly #running = new SharedWork<PrintedDifferences>();
  readonly #known = createSizedCache<string, PrintedDifferences>({
    sizeMax: GIT_LIMITS.comparedFilesCachedBytesMax,
    sizeOf: ({ bytes }, key) => bytes + key.length,
  });

  constructor(engine: Needs) {
    this.#engine = engine;
  }

  async compare(from: CommitOf, to: CommitOf, options: FileComparison): Promise<ComparedFiles> {
    const [before, after] = await Promise.all([treeOf(from), treeOf(to)]);
    if (before === after) return { files: [], total: { files: 0, additions: 0, deletions: 0 } };
    const differences = await this.#find({ from, to, before, after }, options);
    const { total } = differences;
    return { files: differences.files(options.slice ?? { offset: 0, limit: total.files }), total };
  }

  /** Equal comparisons run once, until the last caller leaves. Each caller takes a slot. */
  async #find(compared: Compared, { whitespace }: FileComparison): Promise<PrintedDifferences> {
    // The trees determine the result in every repository.
    const key = `${compared.before} ${compared.after} ${whitespace}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    return PROCESS_SLOTS.diffs.run(() =>
      this.#running.run(key, async (signal) => {
        const differences = await this.#print(compared, whitespace, signal);
        this.#known.set(key, differences);
        return differences;
      }),
    );
  }

  /** @see git-diff-tree(1) */
  async #print(
    { from, to, before, after }: Compared,
    whitespace: FileComparison['whitespace'],
    signal: AbortSignal,
  ): Promise<PrintedDifferences> {
    const location = await sharedObjects(this.#engine, to.snapshot, from.snapshot);
    const renames = ['--find-renames', `-l${GIT_LIMITS.renamesSoughtMax}`];
    const formats = ['-r', '-z', '--raw', '--numstat', ...renames, ...WHITESPACE[whitespace], ...SAFE_DIFF];
    const command = {
      args: ['diff-tree', ...formats, before, after],
      memoryBytesMax: GIT_LIMITS.gitComparisonBytesMax,
      ...location,
    };
    const run = {
      slots: null,
      deadlineMs: GIT_LIMITS.comparedFilesMs,
      stdoutBytesMax: GIT_LIMITS.comparedFilesBytesMax,
      lowPriorityAfterMs: GIT_LIMITS.comparedFilesInHasteMs,
      signal,
    };
    try {
      const { stdout } = await runGit(command, run);
      const leavesOutEqual = whitespace !== 'show-all';
      return await PrintedDifferences.read(stdout, to.snapshot.objectFormat, { leavesOutEqual });
    } catch (error) {
      if (!(error instanceof GitFailedError) || !wasTooMuch(error)) throw error;
      throw invalid('there are too many changes to compare');
    }
  }
}

async function treeOf({ snapshot, oid }: CommitOf): Promise<Oid> {
  return (await snapshot.objects.readCommit(oid)).tree;
}
