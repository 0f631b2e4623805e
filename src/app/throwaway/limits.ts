export const THROWAWAY_LIMITS = {
  /** How often a throwaway server looks whether the process that started it still runs. */
  parentCheckedEveryMs: 500,
  /** How long requests that run during a reset may go on with the world before it. */
  oldRequestsMs: 10_000,
  /** How long the server must have no request before it prepares the next reset. */
  restBeforePreparingMs: 5,
  /** How long a request that moves the clock waits for the jobs that became due. */
  dueJobsMs: 30_000,
  /** Room that a folder in memory must have; with less, the data is on a disk. */
  memoryBytesMin: 256 * 1024 * 1024,
  /** Age from which a folder without a lock is removed. A younger one may be about to be locked. */
  unlockedFolderMs: 10_000,
  seedFileBytesMax: 16 * 1024 * 1024,
  /** The body of a request to a test route. */
  controlBodyBytesMax: 4 * 1024,
} as const;
