/** Migrations and mirrors. */
export const MIRROR_LIMITS = {
  /** Capabilities and refs that a source lists. */
  sourceCapabilitiesMax: 100,
  sourceRefsMax: 50_000,
  sourceRefsBytesMax: 64 * 1024 * 1024,
  /** Time for a source to list them. */
  sourceAnswerMs: 2 * 60_000,
  /** Commits that a fetch names as present, so that the source leaves out what they reach. */
  sourceHavesMax: 4_000,
  /** Refs whose earlier commits are named, too, and how far back: the source may have lost their tips. */
  sourceHistoriesMax: 16,
  sourceHistoryMax: 128,
  /** Attempts of one copy, if its source changes meanwhile or the connection is lost. */
  sourceAttemptsMax: 3,
  /** Response of a source to one batch of git-lfs. */
  sourceBatchObjectsMax: 100,
  sourceBatchBytesMax: 4 * 1024 * 1024,
  /** A whole migration, or one update of a mirror. Below the time for which an object of git-lfs is reserved. */
  migrationMs: 50 * 60_000,
  migrationsAtOnceMax: 8,
  migrationsPerCallerMax: 2,
  migrationQueueMax: 64,
  migrationQueuePerCallerMax: 8,
  migrationQueueWaitMs: 60_000,
  /** Time between updates of a mirror. */
  mirrorIntervalMs: 8 * 60 * 60_000,
  mirrorIntervalMsMin: 10 * 60_000,
  mirrorIntervalMsMax: 366 * 24 * 60 * 60_000,
  /** How often the server looks for mirrors that are due, and how many owners of them it takes at once. */
  mirrorsLookedForEveryMs: 60_000,
  mirrorOwnersAtOnceMax: 1_000,
  /** Time after which it is the turn of other owners, if one has many mirrors that are due. */
  mirrorTurnMs: 60_000,
  mirrorSyncsAtOnceMax: 2,
  /** After a failure, the next attempt comes after this time, which doubles up to the interval. */
  mirrorRetryMs: 5 * 60_000,
  mirrorErrorCharsMax: 500,
} as const;
