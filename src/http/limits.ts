export const HTTP_LIMITS = {
  jsonBodyBytesMax: 1024 * 1024,
  /** Objects and arrays within each other. */
  jsonBodyDepthMax: 100,
  /** A form with a file, but without the file: the other parts, and the headers of each part. */
  formFieldBytesMax: 64 * 1024,
  formPartsMax: 20,
  /** Bodies of requests in memory, of all callers and of one caller. */
  bodyBytesInFlightMax: 64 * 1024 * 1024,
  bodyBytesPerCallerMax: 16 * 1024 * 1024,
  /** Requests that wait until there is room for their bodies. */
  bodyQueueMax: 512,
  bodyQueuePerCallerMax: 64,
  bodyQueueWaitMs: 15_000,
  /** Rate below which the server loses patience with the sender of a body. */
  bodyBytesPerSecondMin: 16 * 1024,
  bodyPatienceMs: 60_000,
  /** How long the rest of a rejected body is read and discarded, so that its client reads the response. */
  unreadBodyMs: 5_000,
  /** Responses in memory that their clients have not read yet, of all callers and of one caller. */
  responseBytesInFlightMax: 128 * 1024 * 1024,
  responseBytesPerCallerMax: 32 * 1024 * 1024,
  /** Smaller responses do not count, because they fit in the buffer of a connection. */
  responseBytesUncounted: 256 * 1024,
  /** Time for the headers of a request. */
  headersMs: 20_000,
  /** Connections that exceed that time are ended this often. */
  connectionsCheckedEveryMs: 5_000,
  pathParameterCharsMax: 4096 * 3,
  headerBytesMax: 32 * 1024,
  /**
   * Bytes of an upload that are in memory at once: bytes being written, bytes that arrive meanwhile, and a chunk that
   * is being received.
   */
  objectBodyBytesInMemory: 576 * 1024,
  /** A shorter page is sent as it is: compression would save no packet. */
  compressedPageCharsMin: 1_200,
  /** A longer page is sent as it is: it would take the threads of the process for long. */
  compressedPageCharsMax: 4 * 1024 * 1024,
  /** A longer page is not sent. */
  pageCharsMax: 16 * 1024 * 1024,
} as const;
