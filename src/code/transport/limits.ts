export const TRANSPORT_LIMITS = {
  /** Commands and options of one push. */
  pushCommandsMax: 50_000,
  pushCommandBytesMax: 16 * 1024 * 1024,
  pushOptionsMax: 32,
  pushOptionBytesMax: 16 * 1024,
  /** Commits that one push proposes. */
  proposalsPerPushMax: 10,
  /** How long the answer to a push waits for what features say about it. */
  remarksMs: 2_000,
  /** Time to send the whole request of a fetch. */
  fetchRequestMs: 5 * 60_000,
  /** Wants and haves of one fetch, inflated. */
  fetchRequestBytesMax: 64 * 1024 * 1024,
  /** Requests for a list of refs. */
  listRefsRequestBytesMax: 4 * 1024 * 1024,
  refPrefixesMax: 500,
} as const;
