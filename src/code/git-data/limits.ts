export const GIT_DATA_LIMITS = {
  /** Entries of one request that creates a tree. */
  treeEntriesCreatedMax: 10_000,
  parentsPerCommitMax: 100,
  /** Blobs of one request, and their content in the response. Further ones come without content. */
  blobsListedMax: 50,
  blobsListedBytesMax: 10 * 1024 * 1024,
  /** Changed files of commits in the cache. */
  changedFilesCachedMax: 100_000,
  /** Entries of a recursive list of a tree. Further ones are left out. */
  treeEntriesListedMax: 100_000,
  treesPerPageDefault: 1000,
  /** The search for files by their paths: text, cached paths, and matches of each kind that are sorted. */
  finderTextCharsMax: 200,
  finderPathCharsCachedMax: 16 * 1024 * 1024,
  finderMatchesSortedMax: 1_000,
} as const;
