export const ADMIN_LIMITS = {
  /** Entries of the audit log that one command lists. */
  auditEntriesListedDefault: 50,
  auditEntriesListedMax: 1_000,
  /** Interval between checks of a command that waits for the purge of a repository. */
  purgePollMs: 200,
  /** How often the command reports its progress. */
  importReportMs: 5_000,
  /** Objects that a move copies at once, and how often it reports. */
  objectsMovedAtOnce: 4,
  moveReportMs: 5_000,
} as const;
