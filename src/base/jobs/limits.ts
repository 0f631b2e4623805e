export const JOB_LIMITS = {
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
