/** Maintenance of repositories. */
export const MAINTENANCE_LIMITS = {
  /** Delay between a push and the measurement of the repository, which covers all pushes in between. */
  measureDelayMs: 2_000,
  /** A repository with this many packs or loose objects is repacked. */
  packsMax: 50,
  looseObjectsMax: 2_000,
  /** A repository that grew by this much since its last measurement gets a new commit-graph. */
  commitGraphGrowthBytesMin: 1024 * 1024,
  /** Delay between a push and a prune: longer than the time for which unused objects are kept. */
  pruneDelayMs: 15 * 24 * 60 * 60_000,
  /** Rows of deleted refs are kept for at least this long, for caches that read only what has changed. */
  deletedRefsKeptMs: 7 * 24 * 60 * 60_000,
  /** Packs and loose objects that maintenance deletes before pushes get a turn. */
  objectFilesDeletedInOneGo: 100,
  /** A command that waits for the purge of a repository looks this often. */
  purgePollMs: 200,
  /** A maintenance job that pushes overtake this often waits for a quieter time. */
  maintenanceRacesMax: 3,
  sweepEveryMs: 60 * 60_000,
  /** Unfinished work older than this is abandoned: no push takes as long. */
  sweepGraceMs: 24 * 60 * 60_000,
} as const;
