export const MAINTENANCE_LIMITS = {
  /** Events are kept for at least this long and until all readers have read them. */
  eventsKeptMs: 30 * 24 * 60 * 60_000,
  eventsPruneEveryMs: 60 * 60_000,
  /** Delay between a push and the measurement of the repository, which covers all pushes in between. */
  measureDelayMs: 2_000,
  /** A repository with this many packs or loose objects is repacked. */
  packsMax: 50,
  looseObjectsMax: 2_000,
  /**
   * The commit-graph of a repository is written again if the repository grew by this much since its last measurement.
   */
  commitGraphGrowthBytesMin: 1024 * 1024,
  /** Delay between a push and a prune. Longer than the time for which unused objects are retained. */
  pruneDelayMs: 15 * 24 * 60 * 60_000,
  /** Rows of deleted refs are kept for at least this long, for caches that read only what has changed. */
  deletedRefsKeptMs: 7 * 24 * 60 * 60_000,
  /** Unfinished work older than this is abandoned, because no push takes as long. */
  sweepGraceMs: 24 * 60 * 60_000,
} as const;
