export const STORAGE_LIMITS = {
  /** Time between two searches for files that nothing refers to. */
  sweepEveryMs: 60 * 60_000,
  objectKeyCharsMax: 512,
  objectKeyPartCharsMax: 200,
  durableFoldersRemembered: 10_000,
  /** Further attempts to store an object while deletions remove its folder. */
  folderRacesMax: 20,
  /** Incomplete objects older than this are abandoned. */
  incomingObjectMs: 24 * 60 * 60_000,
  /**
   * A file whose bytes are arriving is not collected for this long. The upload renews the time while it runs.
   */
  fileReservationMs: 60 * 60_000,
  fileReservationRenewedEveryMs: 10 * 60_000,
  filesCollectedInOneGo: 100,
  /** Objects whose rows a sweep looks up with one statement. */
  storedObjectsComparedAtOnce: 100,
  /** Lifetime of an address at which a client gets an object from the object store itself. */
  signedAddressMs: 15 * 60_000,
  /** Connections to an S3 store, for downloads and for everything else. */
  s3DownloadsAtOnceMax: 512,
  s3CallsAtOnceMax: 64,
  s3AttemptsMax: 3,
  s3ConnectMs: 10_000,
  /** Time until the first byte of an answer, for small calls and for calls that write or join parts. */
  s3AnswerMs: 20_000,
  s3WriteMs: 5 * 60_000,
  /** Time without a byte, in either direction. */
  s3SilenceMs: 30_000,
  /** Part of an upload, the smallest that S3 accepts. An upload has two parts in memory. */
  s3PartBytes: 5 * 1024 * 1024,
  /** Limits of S3 itself. */
  s3PartsMax: 10_000,
  s3PartBytesMax: 5 * 1024 * 1024 * 1024,
  /** Bytes of all uploads that are in memory, of all callers and of one caller. */
  s3UploadBytesInMemoryMax: 512 * 1024 * 1024,
  s3UploadBytesPerCallerMax: 128 * 1024 * 1024,
  /** Attempts to store an object while another writer stores one with the same key. */
  s3RacesMax: 5,
  /** Clocks of this server and an S3 store may differ by this much. */
  s3ClockSkewMs: 5 * 60_000,
} as const;
