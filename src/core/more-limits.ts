// Parts of the limits, in a file of their own for its length. Use `LIMITS`.

export const ARCHIVE_LIMITS = {
  /** Concurrent git processes that build archives. */
  archivesBuiltAtOnceMax: 4,
  /** Run time of one of them, and the memory that it may allocate. A million files take about 275 MiB. */
  archiveMs: 10 * 60_000,
  archiveMemoryBytesMax: 256 * 1024 * 1024,
  archiveBytesMax: 4 * 1024 * 1024 * 1024,
  /** Archives in the object store. A setting overrides it. */
  archivesKeptBytesMax: 10 * 1024 * 1024 * 1024,
  /** Archives that are being built, and built ones that a client still reads, in temporary files. */
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
  /** Lifetime of an address at which a client gets an object from the object store itself. */
  signedAddressMs: 15 * 60_000,
} as const;

/** Files that configure tools. */
export const CONFIGURATION_LIMITS = {
  /** A larger `.editorconfig` is ignored, and so is a section with a longer name. */
  editorConfigBytesMax: 64 * 1024,
  editorConfigSectionCharsMax: 1024,
  /** Steps of matching a path with all sections. */
  editorConfigStepsMax: 500_000,
  /** A larger file with a template for issues is ignored. */
  issueTemplateBytesMax: 64 * 1024,
  issueTemplatesMax: 100,
  /** Text of all templates for issues of a repository. Further ones are left out. */
  issueTemplateCharsMax: 512 * 1024,
  issueTemplatesCachedCharsMax: 8 * 1024 * 1024,
  /** A file in YAML, or the part of a file that is in YAML, and its value as JSON. */
  yamlBytesMax: 32 * 1024,
  yamlValueCharsMax: 256 * 1024,
} as const;

/** About protections of branches and tags. */
export const PROTECTION_LIMITS = {
  protectionsPerRepositoryMax: 100,
  protectionPatternCharsMax: 255,
  /** Alternatives of the braces in one pattern. */
  protectionAlternativesMax: 32,
  /** Patterns of files in one protection, with their separators. */
  protectionFilePatternsCharsMax: 4096,
  /** Accounts or teams of one list in a protection. */
  protectionListMax: 500,
  statusContextsPerProtectionMax: 100,
  requiredApprovalsMax: 1_000,
  /** Steps of comparing all names and paths of one request with the patterns of protections, and of one of them. */
  protectionMatchStepsMax: 200_000_000,
  protectionMatchStepsAtOnceMax: 200_000,
  /** Steps before other work gets a turn. */
  protectionMatchStepsInOneGo: 200_000,
  /** Entries of two trees whose differences are compared with the file patterns of a protection. */
  treeEntriesComparedMax: 200_000,
} as const;
