export const OUTBOUND_LIMITS = {
  /** Characters of an address of another server. */
  outboundUrlCharsMax: 2048,
  /** Time to resolve a name, and to connect to one of its addresses. */
  outboundConnectMs: 10_000,
  /** Time that a name server has for an answer, and attempts. */
  outboundNameAnswerMs: 2_000,
  outboundNameTries: 2,
  /** Names that only the machine can resolve, each of which takes a thread: at once, and waiting. */
  outboundLookupsAtOnceMax: 2,
  outboundLookupsWaitingMax: 200,
  outboundLookupsWaitingPerCallerMax: 20,
  /**
   * Time in which a connection moves nothing, and total time for which the server waits for a source below the minimum
   * rate.
   */
  outboundIdleMs: 60_000,
  outboundBytesPerSecondMin: 8 * 1024,
  /** Redirects that one request follows. */
  outboundRedirectsMax: 5,
  /** Addresses of one name; with more, the name is rejected. */
  outboundAddressesMax: 64,
  /** Addresses of one name to which a request connects, one after the other. */
  outboundAddressesTriedMax: 4,
  /** Headers of one response. */
  outboundHeaderBytesMax: 32 * 1024,
} as const;
