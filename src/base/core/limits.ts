/** Limits of what all features use, by name. The name gives the unit. Each feature has a `limits.ts` of its own. */
export const CORE_LIMITS = {
  /** Networks whose anonymous requests count as requests of members, because a member used an account there. */
  familiarNetworksMax: 10_000,
  networkFamiliarMs: 60 * 60_000,
  /** A file in YAML, or the part of a file that is in YAML, and its value as JSON. */
  yamlBytesMax: 32 * 1024,
  yamlValueCharsMax: 256 * 1024,
  yamlDepthMax: 100,
  /** Callers that wait for a git process or for a slot that is given out like one, of all callers and of one. */
  gitQueueMax: 512,
  gitQueuePerCallerMax: 128,
  gitQueueWaitMs: 60_000,
  pageItemsDefault: 30,
  pageItemsMax: 50,
  /** Bytes of a file that are written at once. As many may arrive meanwhile. */
  bytesWrittenAtOnce: 256 * 1024,
  /** Bytes of a file that are written before a sync begins, while more arrive. */
  bytesBetweenSyncs: 8 * 1024 * 1024,
  /** Interval between checks whether the server is idle. */
  idleCheckMs: 2_500,
  /** A check finds the server idle if its event loop was busy for less than this share of the time since the last check. */
  idleBusyShareMax: 0.01,
  /** An idle server collects garbage after this many checks in sequence that found it idle. */
  idleChecksMin: 4,
  /** An idle server collects garbage if it has grown by this much since the last time. */
  idleGrowthBytesMin: 16 * 1024 * 1024,
  /** The young generation of a thread. A larger one makes neither indexing nor the measuring of packs faster. */
  threadYoungMib: 4,
  /** The time for which callers have used a thread is halved after this time. */
  usedThreadTimeHalfLifeMs: 10_000,
  /** Callers of threads whose used time is remembered. */
  threadCallersRememberedMax: 10_000,
} as const;
