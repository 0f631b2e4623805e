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
  /** Time between two runs after hints, so that many changes cost their readers one run. */
  hintRestMs: 50,
} as const;
