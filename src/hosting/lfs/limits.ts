export const LFS_LIMITS = {
  /** Objects that one request may ask for. */
  lfsBatchObjectsMax: 1_000,
  /** Objects that are being uploaded, and objects that clients download. */
  lfsUploadsAtOnceMax: 128,
  lfsUploadsPerCallerMax: 32,
  lfsDownloadsAtOnceMax: 256,
  lfsDownloadsPerCallerMax: 64,
  /** Part of an upload that can continue after a cut. */
  lfsPartBytes: 64 * 1024 * 1024,
  /** Smaller parts of one upload. Each request ends such a part. With more, the upload starts again. */
  lfsCutPartsMax: 1_000,
  /** Incomplete uploads, and how long they wait for their clients. */
  lfsUnfinishedUploadsPerAccountMax: 100,
  lfsUnfinishedUploadMs: 24 * 60 * 60_000,
  /** New pointers of one push or copy whose objects are looked up. */
  lfsPointersAtOnceMax: 100_000,
  /** Locks of one repository, on one page, and the length of a path. */
  lfsLocksPerRepositoryMax: 20_000,
  lfsLocksPerPageMax: 50,
} as const;
