/** Git processes, and objects in memory. */
export const GIT_LIMITS = {
  gitChildrenMax: 16,
  /** Git processes that serve fetches and index packs, for each core of the machine. Settings override them. */
  fetchSlotsPerCore: 4,
  pushSlotsPerCore: 2,
  gitQueueMax: 512,
  gitQueuePerCallerMax: 128,
  gitQueueWaitMs: 60_000,
  catFileProcessesMax: 32,
  catFileIdleMs: 30_000,
  /** An idle thread keeps the memory of its last work. Starting another thread takes 30 ms. */
  changesThreadIdleMs: 3_000,
  /** New blobs that arrive piece by piece are in memory up to this size: each blob, and all blobs of one request. */
  blobDraftInMemoryBytesMax: 64 * 1024,
  blobDraftsInMemoryBytesMax: 1024 * 1024,
  /** Larger blobs are streamed, and are never whole in memory. */
  objectInMemoryBytesMax: 1024 * 1024,
  /** Larger trees and commits are rejected, because no ordinary one is as large. */
  structuredObjectBytesMax: 64 * 1024 * 1024,
  objectCacheBytesMax: 64 * 1024 * 1024,
  refsCachedMax: 500_000,
  /** Concurrent blobs that are streamed. Each has an open file, or a child process of its own. */
  blobStreamsAtOnceMax: 32,
  /** Blobs that git reads because a broken copy was found. */
  brokenBlobsRememberedMax: 1_000,
  /** Larger blobs are not shared by their readers. */
  sharedBlobBytesMax: 1024 * 1024 * 1024,
  /** Temporary files of shared blobs. A caller has room for two of the largest blobs. */
  sharedBlobsMibMax: 8 * 1024,
  sharedBlobsMibPerCallerMax: 2 * 1024,
  /** Run time of a git child process. */
  gitChildMs: 60 * 60_000,
  /** Walks that find out which tips of one push lack a part of their history. */
  connectivityWalksMax: 32,
  /** Time in which a git child process of a fetch or push must make progress. It has no other deadline. */
  gitProgressMs: 15 * 60_000,
  /** Run time of counting or comparing two histories. */
  historyWalkMs: 60_000,
  /** Memory of a git child process that compares trees, because a few small trees can stand for a billion files. */
  gitComparisonBytesMax: 256 * 1024 * 1024,
  /** Run time of comparing the commits of one response with their parents. */
  commitChangesMs: 10_000,
  /** Entries of all folders in which one commit of the API changes files. */
  treeEntriesEditedMax: 500_000,
  /** A longer pattern of `.gitattributes` matches nothing. */
  attributePatternCharsMax: 255,
  /** Changed files of commits in the cache. */
  changedFilesCachedMax: 100_000,
  /** Run time and size of the text of a diff or patch. A response that exceeds them breaks off. */
  diffMs: 60_000,
  diffBytesMax: 256 * 1024 * 1024,
  diffsAtOnceMax: 8,
  /** Commits that a comparison lists without paging. */
  comparedCommitsListedMax: 250,
  /** Cached numbers of commits. */
  commitCountsCachedMax: 10_000,
  /** Last common commits of two commits that are remembered. */
  mergeBasesCachedMax: 10_000,
  /** Entries of a recursive list of a tree. Further ones are left out. */
  treeEntriesListedMax: 100_000,
  /** Entries of that list before other work gets a turn. */
  treeEntriesInOneGo: 500,
  gitStderrBytesMax: 16 * 1024,
  gitAnswerBytesMax: 16 * 1024 * 1024,
  tagChainMax: 50,
  /** Cached objects of one write session. */
  sessionCacheBytesMax: 16 * 1024 * 1024,
  /** New objects of one change that become fresh objects. The objects of larger changes are files at once. */
  freshObjectsMax: 100,
  freshObjectsBytesMax: 128 * 1024,
  /**
   * Objects that the server reads to prove that the fresh objects of a push are complete. With more, git walks through
   * the history.
   */
  smallPackCommitsReadMax: 64,
  smallPackTreesReadMax: 200,
  smallPackEntriesReadMax: 20_000,
  /** Bytes of fresh objects. With more, the objects of every change are files at once. */
  freshBytesWaitingMax: 32 * 1024 * 1024,
  /** Time until fresh objects are settled, and bytes that are settled at once. */
  freshSettleMs: 5_000,
  freshBatchBytesMax: 8 * 1024 * 1024,
  verifyProblemsMax: 100,
} as const;
