export const ARCHIVE_LIMITS = {
  /** Bytes of one archive. */
  archiveBytesMax: 4 * 1024 * 1024 * 1024,
  /** Folders of a commit that are read before its archive is built, and the limits of their content. */
  archiveFoldersCountedMax: 256,
  archiveFilesMax: 500_000,
  archivePathBytesMax: 48 * 1024 * 1024,
  /**
   * Size of all files together, counting repeated files again. The sizes of this many different files are looked up.
   */
  archiveUnpackedBytesMax: 16 * 1024 * 1024 * 1024,
  archiveBlobsSizedMax: 1_000,
  /** Downloads of archives. */
  archiveDownloadsAtOnceMax: 256,
  archiveDownloadsPerCallerMax: 64,
  /** Archives that were found to be too large, so that they are not built again for a while. */
  hugeArchivesRememberedMax: 1_000,
  hugeArchiveRememberedMs: 60 * 60_000,
  /** Archives whose recorded last use may lag behind by this much. */
  archiveUseRememberedMax: 10_000,
  archiveUseLagMs: 60 * 60_000,
  /** Delay between storing an archive and removing the least recently used ones. */
  archiveTrimDelayMs: 5_000,
} as const;
