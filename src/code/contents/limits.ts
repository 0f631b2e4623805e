export const CONTENTS_LIMITS = {
  /** Text of a patch to apply, the body of its request, and the files that it changes. */
  patchBytesMax: 8 * 1024 * 1024,
  patchBodyBytesMax: 12 * 1024 * 1024,
  /** Folder entries with cached last commits, both of listed folders and found by walks. */
  lastCommitEntriesCachedMax: 200_000,
  /**
   * Commits of such a walk. With more, its callers wait for the index. Also the limit on objects of a push that is
   * indexed at once.
   */
  lastCommitStepsUnindexed: 200,
  /** Commits of a walk that the index cannot help. With more, its callers receive `busy`. */
  lastCommitStepsMax: 5_000,
  lastCommitWalkMs: 10_000,
  /** Steps of a walk before other work gets a turn. */
  lastCommitStepsInOneGo: 20,
  /** Delay before indexing, so that a burst of pushes is indexed once. */
  lastCommitDelayMs: 1_000,
  /** Time for which callers wait for the index. A job continues to build it afterwards. */
  indexAwaitedMs: 5 * 60_000,
  /** Body of a request that writes files, in base64 and JSON. */
  fileBodyBytesMax: 100 * 1024 * 1024,
  /** All of that body except the contents of the files. Only this part is whole in memory. */
  fileFieldsBytesMax: 2 * 1024 * 1024,
  /** Files that one request changes. */
  filesPerChangeMax: 1_000,
  /** A page shows the text of a file up to this size, and links to larger ones. */
  pageFileBytesMax: 512 * 1024,
  /** A larger `.gitattributes` is ignored when the API writes files, and so are lines beyond this number. */
  lfsAttributesBytesMax: 256 * 1024,
  lfsAttributeLinesMax: 1_000,
  /** Names that are tried for a new branch. */
  branchNamesTriedMax: 100,
  /** Characters of a search in the code of a repository. */
  searchCharsMin: 2,
  searchCharsMax: 200,
  commitMessageCharsMax: 1024 * 1024,
  /** The contents API omits the content of larger blobs. */
  contentsBlobBytesMax: 10 * 1024 * 1024,
} as const;
