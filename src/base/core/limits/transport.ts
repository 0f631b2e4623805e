/** Pushes and fetches. */
export const TRANSPORT_LIMITS = {
  /** Packed bytes of one push. */
  pushPackBytesMax: 16 * 1024 * 1024 * 1024,
  /** Unpacked bytes of one object of a push, and of all objects. Settings override them. */
  pushObjectBytesMax: 2 * 1024 * 1024 * 1024,
  pushUnpackedBytesMax: 128 * 1024 * 1024 * 1024,
  /** A pack inflates to at most this many times its size, beyond one object of the largest size. */
  pushExpansionMax: 100,
  /** Object that a push sends as a difference to another object. git sends larger files whole. */
  deltaResultBytesMax: 512 * 1024 * 1024,
  pushCommandsMax: 50_000,
  pushCommandBytesMax: 16 * 1024 * 1024,
  pushOptionsMax: 32,
  pushOptionBytesMax: 4096,
  /** One change loses at most this many races against other writers; then its caller receives `busy`. */
  lostRacesMax: 20,
  /** Changes of one branch by the server itself that wait for their turn. */
  branchQueueMax: 256,
  branchQueuePerCallerMax: 64,
  branchQueueWaitMs: 60_000,
  /** Rate below which the server loses patience with the client of a fetch or push. A setting overrides the patience. */
  transferBytesPerSecondMin: 2 * 1024,
  transferPatienceMs: 120_000,
  /** Requests of fetches that are being received, and responses that their clients have not read yet. */
  fetchRequestsAtOnceMax: 512,
  fetchRequestsPerCallerMax: 64,
  fetchResponsesAtOnceMax: 256,
  fetchResponsesPerCallerMax: 64,
  /** Time to send the whole request of a fetch. */
  fetchRequestMs: 5 * 60_000,
  /** Pushes that are being received. */
  uploadsAtOnceMax: 128,
  uploadsPerCallerMax: 16,
  /** Part of a request, response or pack that is kept in memory. The rest goes to a temporary file. */
  spoolMemoryBytesMax: 256 * 1024,
  /** Part of a pack that is received before it is measured. The sender waits before it sends more. */
  packUnmeasuredBytesMax: 8 * 1024 * 1024,
  /** One step of measuring a pack, in a thread with this memory besides its buffers. */
  packMeasuredStepMs: 60_000,
  packMeterMemoryMib: 64,
  packMeterIdleMs: 3_000,
  /**
   * If a sender is slower than this rate, for longer than this time in total, git begins to index only when the whole
   * pack has arrived.
   */
  earlyIndexBytesPerSecondMin: 2 * 1024 * 1024,
  earlyIndexPatienceMs: 3_000,
  /** A fetch whose memory is full waits this long for its client before it uses a file. */
  spoolPatienceMs: 100,
  /** Unread part of the response to one fetch. With more, git waits for the client. */
  fetchSpoolBytesMax: 512 * 1024 * 1024,
  /** Temporary files of fetches. */
  spoolMibMax: 8 * 1024,
  spoolMibPerCallerMax: 1024,
  /** Received packs that are not indexed yet, and files that are not stored yet. */
  receivedMibMax: 64 * 1024,
  receivedMibPerCallerMax: 16 * 1024,
  /** Wants and haves of one fetch, inflated. */
  fetchRequestBytesMax: 64 * 1024 * 1024,
  /** Depth in the filter `tree:DEPTH` of a partial clone. */
  treeFilterDepthMax: 100,
  listRefsRequestBytesMax: 4 * 1024 * 1024,
  refPrefixesMax: 500,
  /**
   * The rest of a rejected pack is read up to this many bytes and for this long, so that its sender reads the response.
   */
  rejectedPackBytesMax: 1024 * 1024 * 1024,
  rejectedPackMs: 5 * 60_000,
} as const;
