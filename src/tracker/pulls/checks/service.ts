import { isFailure } from '../../../base/core/failure.ts';
import { callerThatStays, runFor } from '../../../base/core/fairness/caller.ts';
import { FairSlots } from '../../../base/core/fairness/fair-slots.ts';
import { unlessAborted } from '../../../base/core/fairness/unless-aborted.ts';
import type { Database } from '../../../base/database/database.ts';
import type { Oid } from '../../../git/format/model.ts';
import { branchRef } from '../../../git/format/ref-names.ts';
import type { CommitOf, RepositoryId } from '../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import { PULL_LIMITS } from '../limits.ts';
import type { PullState } from '../model.ts';
import { type Checked, setChecked, setCounted } from '../store/checks.ts';
import { findPull } from '../store/pulls.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'writes' | 'history'>;
}

/** Two commits to merge on trial. */
interface Pair {
  readonly repositoryId: RepositoryId;
  readonly base: Oid;
  readonly head: Oid;
  /** what the last check of this head has counted; null: there was none */
  readonly counted: Counted | null;
}

type Counted = Pick<Checked, 'mergeBase' | 'additions' | 'deletions' | 'changedFiles'>;

/**
 * Finds out whether pull requests can be merged, by a merge on trial. The result belongs to the pair of commits, so it
 * stays true until a branch moves. Callers who ask for the same pair share one merge.
 */
export class PullChecks {
  readonly #use: Dependencies;
  readonly #running = new Map<string, Promise<Checked>>();
  readonly #slots = new FairSlots({
    what: 'merges on trial',
    unitsMax: PULL_LIMITS.checksAtOnceMax,
    unitsPerCallerMax: PULL_LIMITS.checksPerCallerMax,
    unitsForSignedIn: 0,
    queueMax: PULL_LIMITS.checkQueueMax,
    queuePerCallerMax: PULL_LIMITS.checkQueuePerCallerMax,
    waitMs: PULL_LIMITS.checkQueueWaitMs,
  });

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Checks a pull request unless it was checked with both branches as they are now, it is closed, or its base is gone.
   *
   * @returns the outcome for both branches as they are now; undefined if it is closed or its base is gone
   * @throws ForgeError `not_found` if the repository is gone, `busy`
   */
  async check(issueId: number): Promise<Checked['outcome'] | undefined> {
    const pull = await findPull(this.#use.database.reader, issueId);
    if (pull === undefined || !pull.isOpen) {
      await this.#countMerged(pull);
      return undefined;
    }
    const snapshot = await this.#use.git.refs.open(pull.repositoryId);
    const base = snapshot.ref(branchRef(pull.baseBranch));
    if (base === undefined) return undefined;
    const { repositoryId, head, check } = pull;
    if (check !== null && isCurrent(pull, base)) return check.outcome;
    const counted = check?.head === head.sha ? pull : null;
    const checked = await this.#tried({ repositoryId, base, head: head.sha, counted });
    const isStored = await this.#use.database.transaction((tx) => setChecked(tx, issueId, checked));
    if (!isStored) await this.#countMerged(await findPull(this.#use.database.reader, issueId));
    return checked.outcome;
  }

  /**
   * Checks as `check`, but waits for a limited time, and not for failures. The check goes on afterwards, also when the
   * client leaves: others may wait for it.
   */
  async checkSoon(pull: PullState, base: Oid | null): Promise<void> {
    if (!pull.isOpen || base === null || isCurrent(pull, base)) return;
    const checking = runFor(callerThatStays(), () => this.check(pull.issueId));
    await unlessAborted(checking, AbortSignal.timeout(PULL_LIMITS.checkAwaitedMs)).catch(() => undefined);
  }

  /** Counts the differences of a pull request that was merged before a check had counted them. */
  async #countMerged(pull: PullState | undefined): Promise<void> {
    if (pull === undefined || pull.merge === null) return;
    const { issueId, repositoryId, mergeBase, head, check } = pull;
    if (mergeBase === null || check?.head === head.sha) return;
    const snapshot = await this.#use.git.refs.open(repositoryId);
    const changes = await this.#changesBetween({ snapshot, oid: mergeBase }, { snapshot, oid: head.sha });
    await this.#use.database.transaction((tx) => setCounted(tx, issueId, changes));
  }

  #tried(pair: Pair): Promise<Checked> {
    const key = `${pair.repositoryId} ${pair.base} ${pair.head}`;
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const trying = this.#slots.run(() => this.#try(pair)).finally(() => this.#running.delete(key));
    this.#running.set(key, trying);
    return trying;
  }

  async #try({ repositoryId, base, head, counted }: Pair): Promise<Checked> {
    await using session = await this.#use.git.writes.begin(repositoryId);
    const [mergeBase = null] = await session.merges.findBases({ ours: base, theirs: head });
    const checked = { base, head, mergeBase, conflicts: [] };
    if (mergeBase === null) return { ...checked, outcome: 'unrelated', ...NO_CHANGES };
    const snapshot = session.base;
    // Most pushes to a base leave the merge base, and so the differences, as they were.
    const changes =
      counted?.mergeBase === mergeBase
        ? changesOf(counted)
        : await this.#changesBetween({ snapshot, oid: mergeBase }, { snapshot, oid: head });
    if (mergeBase === head) return { ...checked, ...changes, outcome: 'contained' };
    try {
      const merged = await session.merges.mergeCommits({ ours: base, theirs: head });
      if (merged?.kind !== 'conflict') return { ...checked, ...changes, outcome: 'clean' };
      return { ...checked, ...changes, outcome: 'conflict', conflicts: merged.paths };
    } catch (error) {
      if (!isFailure(error, 'conflict')) throw error;
      return { ...checked, ...changes, outcome: 'failed' };
    }
  }

  /** Counts the differences; none are counted of commits that have too many. */
  async #changesBetween(from: CommitOf, to: CommitOf) {
    try {
      const options = { whitespace: 'show-all', slice: { limit: 1, offset: 0 } } as const;
      const { total } = await this.#use.git.history.compareFiles(from, to, options);
      const { files: changedFiles, additions, deletions } = total;
      return { additions, deletions, changedFiles };
    } catch (error) {
      if (!isFailure(error, 'invalid')) throw error;
      return NO_CHANGES;
    }
  }
}

function changesOf({ additions, deletions, changedFiles }: Counted) {
  return { additions, deletions, changedFiles };
}

const NO_CHANGES = { additions: 0, deletions: 0, changedFiles: 0 };

function isCurrent({ check, head }: PullState, base: Oid): boolean {
  return check !== null && check.base === base && check.head === head.sha;
}
