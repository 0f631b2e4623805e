/** The memory of the process. */
export const MEMORY_LIMITS = {
  /** Interval between checks whether the server is idle. */
  idleCheckMs: 2_500,
  /** A server rests if its event loop has been busy for less than this share of the time between two looks. */
  idleBusyShareMax: 0.01,
  /** A server is idle if it has rested between this many looks. */
  idleChecksMin: 4,
  /** An idle server collects garbage if it has grown by this much since the last time. */
  idleGrowthBytesMin: 16 * 1024 * 1024,
  /** Shortest time between two collections of an idle server. Each one delays a request that arrives then by 0.1 to 0.2 s. */
  idleCollectionsEveryMs: 20_000,
  /** Interval between checks of resident memory. */
  heapLookMs: 500,
  /** From this resident memory on, the server collects garbage earlier, until it has returned to the second one. */
  heapBoundFromBytes: 180_000_000,
  heapBoundToBytes: 150_000_000,
  /** Growth of the heap of such a server until the next collection, percent. */
  heapGrowthPercentMax: 30,
  /** The young generation of a thread. More of it makes neither indexes nor the measuring of packs faster. */
  threadYoungMib: 4,
  /** The time that callers have used a thread is forgotten by half in this time. */
  usedThreadTimeHalfLifeMs: 10_000,
  /** Callers of threads whose used time is remembered. */
  threadCallersRememberedMax: 10_000,
} as const;
