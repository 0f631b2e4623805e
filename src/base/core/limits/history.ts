/** Walks over histories, and change indexes. */
export const HISTORY_LIMITS = {
  /** Folder entries with cached last commits, both of listed folders and found by walks. */
  lastCommitEntriesCachedMax: 200_000,
  /** Concurrent walks over commits that are not indexed yet. */
  lastCommitWalksAtOnceMax: 8,
  /**
   * Commits of such a walk. With more, its callers wait for the index. Also the limit on objects of a push that is
   * indexed at once.
   */
  lastCommitStepsUnindexed: 200,
  /** Commits of a walk that the index cannot help. With more, its callers receive `busy`. */
  lastCommitStepsMax: 5_000,
  lastCommitWalkMs: 10_000,
  /** Steps of a walk before other work gets a turn. */
  lastCommitStepsInOneGo: 20,
  /** Delay before indexing, so that a burst of pushes is indexed once. */
  lastCommitDelayMs: 1_000,
  /** Time for which callers wait for the index. A job continues to build it afterwards. */
  indexAwaitedMs: 5 * 60_000,
  /** Repositories with open change indexes. */
  changeIndexesOpenMax: 64,
  /** Searches in one lookup. There is at most one for each entry on each chain of first parents. */
  changeLookupStepsMax: 500_000,
  /** Searches before other work gets a turn. */
  changeLookupStepsInOneGo: 500,
  /** New commits that a list reads one after the other before it reaches indexed commits. With more, git lists them. */
  commitsListedUnindexedMax: 200,
  /** Steps through an index for one page or number of commits. With more, git lists them. */
  historyStepsMax: 300_000,
  /** Chains of commits since the last count of a history. Beyond them, all commits are counted again. */
  chainsCountedAgainMax: 64,
  /** Concurrent steps of building change indexes. */
  historiesIndexedAtOnceMax: 2,
  /** Commits and differences of one step. Another repository has its turn afterwards. */
  commitsIndexedInOneGo: 20_000,
  changesIndexedInOneGo: 150_000,
  /**
   * A commit with more differences or parents is opaque, and walks read its trees. git reads the ids of a commit and
   * its parents from a line of at most 1,000 bytes.
   */
  changesPerCommitMax: 200_000,
  parentsComparedMax: 12,
  /** Commits and tree entries that are indexed without starting git, enough for an ordinary push. */
  commitsComparedWithoutGit: 50,
  entriesComparedWithoutGit: 20_000,
  /** Opaque commits and changes in one index. With more, it does not grow, and walks read the rest. */
  opaqueCommitsMax: 1_000,
  changesIndexedMax: 50_000_000,
  /** Tips whose history an index remembers as indexed. */
  indexedTipsRememberedMax: 1_000,
} as const;
