/** Archives and bundles of commits. */
export const ARCHIVE_LIMITS = {
  /** Concurrent git processes that build archives. */
  archivesBuiltAtOnceMax: 4,
  /** Run time of such a process, and the memory that it may allocate. A million files take about 275 MiB. */
  archiveMs: 10 * 60_000,
  archiveMemoryBytesMax: 256 * 1024 * 1024,
  /** Entries with names that lead out of a folder on Windows. A commit with more has no archive. */
  archiveEntriesLeftOutMax: 100,
  archiveBytesMax: 4 * 1024 * 1024 * 1024,
  /** Folders of a commit that are read before its archive is built, and the limits of their content. */
  archiveFoldersCountedMax: 256,
  archiveFilesMax: 500_000,
  archivePathBytesMax: 48 * 1024 * 1024,
  /** Paths of a commit that git lists before it builds the archive. More would take more than the memory above. */
  archiveListedBytesMax: 256 * 1024 * 1024,
  /**
   * Size of all files together, counting repeated files again. The sizes of this many different files are looked up.
   */
  archiveUnpackedBytesMax: 16 * 1024 * 1024 * 1024,
  archiveBlobsSizedMax: 1_000,
  /** Archives in the object store. A setting overrides it. */
  archivesKeptBytesMax: 10 * 1024 * 1024 * 1024,
  /** Temporary files with archives that are being built or that a client still reads. */
  archiveSpoolMibMax: 32 * 1024,
  archiveSpoolMibPerCallerMax: 8 * 1024,
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
  archivesTrimmedInOneGo: 100,
} as const;
