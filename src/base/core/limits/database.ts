/** The database, events and jobs. */
export const DATABASE_LIMITS = {
  /** Connections of one process to PostgreSQL. */
  databaseConnectionsMax: 10,
  /** Statements that each connection keeps prepared. PostgreSQL takes some 30 KiB for each. */
  databaseStatementsPreparedMax: 200,
  /** Concurrent transactions. The other connections are for statements that read, which never wait for a lock. */
  databaseTransactionsAtOnceMax: 7,
  databaseTransactionsPerCallerMax: 4,
  databaseQueueMax: 1_024,
  databaseQueuePerCallerMax: 256,
  databaseQueueWaitMs: 30_000,
  /** A transaction that waits longer for a lock is undone. */
  databaseLockMs: 30_000,
  databaseConnectMs: 10_000,
  /** Events are kept for at least this long and until all readers have read them. */
  eventsKeptMs: 30 * 24 * 60 * 60_000,
  eventsReadAtOnceMax: 500,
  eventsPrunedAtOnceMax: 1_000,
  eventsPruneEveryMs: 60 * 60_000,
  /** A reader that has found only events of other kinds stores its position this often. */
  positionStoredEveryMs: 60_000,
  /** Readers of events and jobs poll this often, because a hint can get lost. */
  hintsMissedMs: 5_000,
  /** Time between two runs after hints, so that many changes cost their readers one run. */
  hintRestMs: 50,
  /** In one process. */
  jobsAtOnceMax: 4,
  /** A job passes to another process when its own has not extended the lease for this long. */
  jobLeaseMs: 60_000,
  jobAttemptsMax: 10,
  /** Delay of the first retry. It doubles with each further one. */
  jobRetryMsMin: 10_000,
  jobRetryMsMax: 60 * 60_000,
  /** A stopping server waits this long for its jobs. */
  jobStopWaitMs: 20_000,
  jobErrorCharsMax: 2_000,
  /** Interval between checks whether work waits for the slot of a run that has used up its time. */
  jobTurnWatchedEveryMs: 10_000,
  failedJobsListedMax: 1_000,
  /** Jobs started before the worker returns to its loop. */
  jobsStartedInOneGoMax: 100,
} as const;
