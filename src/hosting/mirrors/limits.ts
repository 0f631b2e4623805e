export const MIRROR_LIMITS = {
  /** Commits that a fetch names as present, so that the source leaves out everything that they reach. */
  sourceHavesMax: 4_000,
  /** Refs whose earlier commits are named, too, and how far back. The source may have lost their tips. */
  sourceHistoriesMax: 16,
  sourceHistoryMax: 128,
  /** Attempts of one copy, if its source changes during the copy or the connection is lost. */
  sourceAttemptsMax: 3,
  /** Response of a source to one batch of git-lfs. */
  sourceBatchObjectsMax: 100,
  sourceBatchBytesMax: 4 * 1024 * 1024,
  /**
   * Time of a whole migration, or of one update of a mirror. Below the time for which an object of git-lfs is reserved.
   */
  migrationMs: 50 * 60_000,
  migrationsAtOnceMax: 8,
  migrationsPerCallerMax: 2,
  /** Migrations that wait for a place, or for their next attempt. */
  migrationQueueMax: 64,
  migrationQueuePerCallerMax: 8,
  /** Attempts of one migration, and the delay before the next attempt, which triples each time. */
  migrationAttemptsMax: 4,
  migrationRetryMs: 3_000,
  /** How often the progress of a migration is written. */
  migrationProgressEveryMs: 2_000,
  /** Lines about what a migration leaves out. */
  migrationLeftOutMax: 20,
  /** Time in which a process has to remove the rest of a canceled migration. Then another process removes it. */
  migrationCancelWaitMs: 10_000,
  /** Records of ended migrations: how long they are retained, and how many of one caller. */
  migrationKeptMs: 30 * 24 * 60 * 60_000,
  migrationsKeptPerCallerMax: 100,
  /** Time between updates of a mirror. */
  mirrorIntervalMs: 8 * 60 * 60_000,
  /** Interval between searches for mirrors that are due, and number of owners that one search finds. */
  mirrorsLookedForEveryMs: 60_000,
  mirrorOwnersAtOnceMax: 1_000,
  /** Time after which other owners have their turn, if an owner has many mirrors that are due. */
  mirrorTurnMs: 60_000,
  mirrorSyncsAtOnceMax: 8,
  /** Time that an update has in any case. After that, it gives way if other owners wait for a slot. */
  mirrorPatienceMs: 5 * 60_000,
  /** Delay before the next attempt after a failure. It doubles up to the interval. */
  mirrorRetryMs: 5 * 60_000,
  mirrorErrorCharsMax: 500,
} as const;
