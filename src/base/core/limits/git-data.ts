/** Git objects, refs and patches that the API writes. */
export const GIT_DATA_LIMITS = {
  /** Requests that write objects without a ref. */
  objectWritesAtOnceMax: 32,
  objectWritesPerCallerMax: 8,
  objectWriteQueueMax: 512,
  objectWriteQueuePerCallerMax: 128,
  objectWriteQueueWaitMs: 60_000,
  /**
   * Requests of one caller in a period that write objects without a ref. Each of this many bytes counts as one more
   * request.
   */
  objectsKeptPerPeriodMax: 50_000,
  objectsKeptPeriodMs: 60 * 60_000,
  objectKeptUnitBytes: 256 * 1024,
  objectWritersRememberedMax: 10_000,
  /** Entries of one request that creates a tree. */
  treeEntriesCreatedMax: 10_000,
  parentsPerCommitMax: 100,
  /** Entries of a folder of notes on commits. With more, a new note goes into a folder of its own. */
  notesPerFolderMax: 256,
  /** Text of a patch to apply, the body of its request, and the files that it changes. */
  patchBytesMax: 8 * 1024 * 1024,
  patchBodyBytesMax: 12 * 1024 * 1024,
  patchFilesMax: 2_000,
  /** Git processes that apply patches, and limits of one such process. */
  patchesAtOnceMax: 4,
  patchMs: 30_000,
  patchMemoryBytesMax: 256 * 1024 * 1024,
  /** Blobs of one request, and their content in the response. Further ones come without content. */
  blobsListedMax: 50,
  blobsListedBytesMax: 10 * 1024 * 1024,
} as const;
