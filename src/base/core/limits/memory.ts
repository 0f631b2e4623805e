/** The memory of the process. */
export const MEMORY_LIMITS = {
  /** Interval between checks whether the server is idle. */
  idleCheckMs: 2_500,
  /** A server rests if its event loop has been busy for less than this share of the time between two checks. */
  idleBusyShareMax: 0.01,
  /** A server is idle if it has rested during this many checks in sequence. */
  idleChecksMin: 4,
  /** An idle server collects garbage if it has grown by this much since the last time. */
  idleGrowthBytesMin: 16 * 1024 * 1024,
  /** Shortest time between two collections of an idle server. Each one delays a request that arrives then by 0.1 to 0.2 s. */
  idleCollectionsEveryMs: 20_000,
  /** Interval between checks of resident memory. */
  heapLookMs: 500,
  /** Resident memory from which the server collects garbage earlier, and size below which it stops doing so. */
  heapBoundFromBytes: 180_000_000,
  heapBoundToBytes: 150_000_000,
  /** Growth of the heap of such a server until the next collection, percent. */
  heapGrowthPercentMax: 30,
  /** The young generation of a thread. A larger one makes neither indexing nor the measuring of packs faster. */
  threadYoungMib: 4,
  /** The time for which callers have used a thread is halved after this time. */
  usedThreadTimeHalfLifeMs: 10_000,
  /** Callers of threads whose used time is remembered. */
  threadCallersRememberedMax: 10_000,
} as const;
