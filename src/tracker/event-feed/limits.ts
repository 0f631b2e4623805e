export const EVENT_FEED_LIMITS = {
  eventsPerPageDefault: 50,
  eventsPerPageMax: 200,
  /** Bytes of the stored events of a page. A larger event is alone on its page. */
  pageBytesMax: 1_048_576,
  /** Events that one read looks at to find those that the caller may see. */
  eventsScannedAtOnceMax: 2_000,
  /** Reads of one request that found nothing to return. Then it returns an empty page with `has_more`. */
  scansPerPageMax: 4,
  waitSecondsMax: 60,
  /** Requests that wait for events, including streams. */
  waitingMax: 512,
  waitingPerCallerMax: 16,
  waitingForSignedIn: 128,
  /** Waiting requests that look for new events before other work of the server has its turn. */
  wokenAtOnceMax: 8,
  /** A waiting request that was woken for nothing looks again after this time, which doubles up to the next one. */
  restAfterNothingMs: 50,
  restAfterNothingMsMax: 1_000,
  heartbeatMs: 15_000,
  /** A stream ends then, and its client continues with a new request. */
  streamMs: 60 * 60_000,
  /** The pause before a client of a stream connects again. */
  reconnectMs: 1_000,
} as const;
