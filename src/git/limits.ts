export const GIT_LIMITS = {
  /** Concurrent git processes that build archives. */
  archivesBuiltAtOnceMax: 4,
  /** Run time of such a process, and the memory that it may allocate. A million files take about 275 MiB. */
  archiveMs: 10 * 60_000,
  archiveMemoryBytesMax: 256 * 1024 * 1024,
  /** Entries with names that lead out of a folder on Windows. A commit with more has no archive. */
  archiveEntriesLeftOutMax: 100,
  /** Paths of a commit that git lists before it builds the archive. More would take more than the memory above. */
  archiveListedBytesMax: 256 * 1024 * 1024,
  /** Temporary files with archives that are being built or that a client still reads. */
  archiveSpoolMibMax: 32 * 1024,
  archiveSpoolMibPerCallerMax: 8 * 1024,
  /** Files that a patch changes. No longer line names a file, because a path is shorter, even twice and quoted. */
  patchFilesMax: 2_000,
  patchHeaderCharsMax: 64 * 1024,
  /** Git processes that apply patches, and limits of one such process. */
  patchesAtOnceMax: 4,
  patchMs: 30_000,
  patchMemoryBytesMax: 256 * 1024 * 1024,
  gitChildrenMax: 16,
  /** Git processes that serve fetches and index packs, for each core of the machine. Settings override them. */
  fetchSlotsPerCore: 4,
  pushSlotsPerCore: 2,
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
  /**
   * If git runs out of that memory, it compares again, without the lines of files of this size or more. Two smaller files
   * take up to 128 MiB, even if all of their lines are empty.
   */
  largeFileBytesMin: 512 * 1024,
  /** Run time and size of the text of a diff or patch. */
  diffMs: 60_000,
  diffBytesMax: 256 * 1024 * 1024,
  diffsAtOnceMax: 8,
  /** A comparison of two commits file by file: run time of git, the bytes that it prints, and files that differ. */
  comparedFilesMs: 30_000,
  comparedFilesBytesMax: 32 * 1024 * 1024,
  comparedFilesMax: 100_000,
  /** After this time, other work goes before such a comparison. */
  comparedFilesInHasteMs: 300,
  /** Removed and added files that git compares with each other to find renames: its own default. */
  renamesSoughtMax: 1_000,
  /** Cached comparisons, as git prints them. */
  comparedFilesCachedBytesMax: 32 * 1024 * 1024,
  /** Unified diff of one file, cached diffs, unchanged lines around each change, and a line, which is cut. */
  fileDiffBytesMax: 2 * 1024 * 1024,
  fileDiffLinesMax: 100_000,
  fileDiffsCachedCharsMax: 8 * 1024 * 1024,
  /**
   * Unified diffs of several files, which git prints in one run: all of them together, one of them, all that is read to
   * find them, and the run time.
   */
  severalDiffsBytesMax: 1024 * 1024,
  severalDiffsFileBytesMax: 256 * 1024,
  severalDiffsReadBytesMax: 64 * 1024 * 1024,
  severalDiffsMs: 10_000,
  diffContextLinesMax: 10_000,
  diffLineCharsMax: 5_000,
  /** Lines of a diff before the line that a comment is about. */
  commentedLinesBeforeMax: 3,
  /** Time in which one page compares its branches with another one. Later branches have no numbers. */
  aheadBehindMs: 2_000,
  /** Run time of finding the commit of each line of a file, and cached groups of lines. */
  blameMs: 15_000,
  blamedLinesCachedMax: 100_000,
  /** Characters of a subject and of the name of an author, beside the lines of a file. */
  blamedTextCharsMax: 300,
  /** Searches through the files of a commit: at once, run time of one, lines that it finds, and the part of a line. */
  codeSearchesAtOnceMax: 4,
  codeSearchMs: 10_000,
  codeSearchLinesMax: 500,
  codeSearchLineBytesMax: 256 * 1024,
  codeSearchLineCharsMax: 300,
  /** Cached numbers of commits. */
  commitCountsCachedMax: 10_000,
  /** Cached last common commits of two commits. */
  mergeBasesCachedMax: 10_000,
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
  /** Time until fresh objects are moved to files, and bytes that are moved at once. */
  freshMoveMs: 5_000,
  freshBatchBytesMax: 8 * 1024 * 1024,
  verifyProblemsMax: 100,
  /** Concurrent walks over commits that are not indexed yet. */
  lastCommitWalksAtOnceMax: 8,
  /** Repositories with open change indexes. */
  changeIndexesOpenMax: 64,
  /** Searches in one lookup. There is at most one for each entry on each chain of first parents. */
  changeLookupStepsMax: 500_000,
  /** Searches before other work gets a turn. */
  changeLookupStepsInOneGo: 500,
  /** New commits that a list reads one after the other before it reaches indexed commits. With more, git lists them. */
  commitsListedUnindexedMax: 200,
  /** Steps through an index for one page or number of commits. With more, git lists them. */
  historyStepsMax: 300_000,
  /** Chains of commits since the last count of a history. Beyond them, all commits are counted again. */
  chainsCountedAgainMax: 64,
  /** Concurrent steps of building change indexes. */
  historiesIndexedAtOnceMax: 2,
  /** Commits and differences of one step. Another repository has its turn afterwards. */
  commitsIndexedInOneGo: 20_000,
  changesIndexedInOneGo: 150_000,
  /**
   * A commit with more differences or parents is opaque, and walks read its trees. git reads the ids of a commit and
   * its parents from a line of at most 1,000 bytes.
   */
  changesPerCommitMax: 200_000,
  parentsComparedMax: 12,
  /** Commits and tree entries that are indexed without starting git, enough for an ordinary push. */
  commitsComparedWithoutGit: 50,
  entriesComparedWithoutGit: 20_000,
  /** Opaque commits and changes in one index. With more, it does not grow, and walks read the rest. */
  opaqueCommitsMax: 1_000,
  changesIndexedMax: 50_000_000,
  /** Tips whose history an index remembers as indexed. */
  indexedTipsRememberedMax: 1_000,
  /** Searches of new objects for pointers of git-lfs. */
  pointerSearchesAtOnceMax: 4,
  /** Packs and loose objects that maintenance deletes before waiting pushes run. */
  objectFilesDeletedInOneGo: 100,
  /** A maintenance job that pushes overtake this often waits for a quieter time. */
  maintenanceRacesMax: 3,
  /** Capabilities and refs that a source lists. */
  sourceCapabilitiesMax: 100,
  sourceRefsMax: 50_000,
  sourceRefsBytesMax: 64 * 1024 * 1024,
  /** Time for a source to list them. */
  sourceAnswerMs: 2 * 60_000,
  /** Refs that one request moves at a target. */
  targetCommandsMax: 2_000,
  /** Time in which a target may send nothing while it checks what it has received. */
  targetIdleMs: 5 * 60_000,
  /** The report of a target about a push, and about one ref. */
  targetReportBytesMax: 4 * 1024 * 1024,
  targetReasonCharsMax: 200,
  /** Git processes that merge trees, and run time of one of them. */
  mergesAtOnceMax: 4,
  mergeMs: 30_000,
  /**
   * Memory that such a process may reserve. git estimates the number of lines of a file from its first lines, so it
   * reserves up to twice as much as it uses if they are shorter than the rest. A numbered list of a million lines takes
   * 340 MiB of 720 MiB.
   */
  mergeMemoryBytesMax: 768 * 1024 * 1024,
  /**
   * Commits that this process reads to find what two histories have in common, and characters of their messages. With
   * more, git does it.
   */
  commitsWalkedHereMax: 2_000,
  messageCharsWalkedHereMax: 4 * 1024 * 1024,
  /** Folders within each other that a merge compares, as newer versions of git limit them. */
  mergedFolderDepthMax: 2_048,
  /** Files of each side whose contents a merge compares to find renames: as many as in a clone, for the same result. */
  mergeRenamesMax: 7_000,
  /** Files with conflicts that a merge names. */
  conflictsNamedMax: 1_000,
  /** Run time of one merge of texts, and size of its result: two notes of the largest size. */
  textMergeMs: 10_000,
  mergedTextBytesMax: 9 * 1024 * 1024,
  /** The text of a comparison of two versions. */
  comparedTextBytesMax: 9 * 1024 * 1024,
  /** Entries of two trees whose differences are compared with the file patterns of a protection. */
  treeEntriesComparedMax: 200_000,
  refNameBytesMax: 1024,
  treePathBytesMax: 4096,
  treeNameBytesMax: 255,
  /** Packed bytes of one push. */
  pushPackBytesMax: 16 * 1024 * 1024 * 1024,
  /** Unpacked bytes of one object of a push, and of all objects. Settings override them. */
  pushObjectBytesMax: 2 * 1024 * 1024 * 1024,
  pushUnpackedBytesMax: 128 * 1024 * 1024 * 1024,
  /** A pack inflates to at most this many times its size, beyond one object of the largest size. */
  pushExpansionMax: 100,
  /** Object that a push sends as a difference to another object. git sends larger files whole. */
  deltaResultBytesMax: 512 * 1024 * 1024,
  /** Rate below which the server loses patience with the client of a fetch or push. A setting overrides the patience. */
  transferBytesPerSecondMin: 2 * 1024,
  transferPatienceMs: 120_000,
  /** Requests of fetches that are being received, and responses that their clients have not read yet. */
  fetchRequestsAtOnceMax: 512,
  fetchRequestsPerCallerMax: 64,
  fetchResponsesAtOnceMax: 256,
  fetchResponsesPerCallerMax: 64,
  /** Pushes that are being received. */
  uploadsAtOnceMax: 128,
  uploadsPerCallerMax: 16,
  /** Part of a request, response or pack that is kept in memory. The rest goes to a temporary file. */
  spoolMemoryBytesMax: 256 * 1024,
  /** Part of a pack that is received before it is measured. The sender waits before it sends more. */
  packUnmeasuredBytesMax: 8 * 1024 * 1024,
  /** One step of measuring a pack, in a thread with this memory besides its buffers. */
  packMeasuredStepMs: 60_000,
  packMeterMemoryMib: 64,
  packMeterIdleMs: 3_000,
  /**
   * If a sender is slower than this rate, for longer than this time in total, git begins to index only when the whole
   * pack has arrived.
   */
  earlyIndexBytesPerSecondMin: 2 * 1024 * 1024,
  earlyIndexPatienceMs: 3_000,
  /** A fetch whose memory is full waits this long for its client before it uses a file. */
  spoolPatienceMs: 100,
  /** Unread part of the response to one fetch. With more, git waits for the client. */
  fetchSpoolBytesMax: 512 * 1024 * 1024,
  /** Temporary files of fetches. */
  spoolMibMax: 8 * 1024,
  spoolMibPerCallerMax: 1024,
  /** Received packs that are not indexed yet, and files that are not stored yet. */
  receivedMibMax: 64 * 1024,
  receivedMibPerCallerMax: 16 * 1024,
  /** Repositories that wait for their adoption. */
  unadoptedMax: 100_000,
  /** Configuration of one of them, its refs, bytes of their list, and bytes of the file of one ref. */
  unadoptedConfigBytesMax: 1024 * 1024,
  unadoptedRefsMax: 100_000,
  unadoptedPackedRefsBytesMax: 32 * 1024 * 1024,
  unadoptedRefBytesMax: 4096,
  /** Packs and loose objects of one of them. */
  unadoptedFilesMax: 200_000,
  /** Time in which git reads the objects of one of them. */
  unadoptedReadMs: 60 * 60_000,
  /** Depth in the filter `tree:DEPTH` of a partial clone. */
  treeFilterDepthMax: 100,
  /**
   * The rest of a rejected pack is read up to this many bytes and for this long, so that its sender reads the response.
   */
  rejectedPackBytesMax: 1024 * 1024 * 1024,
  rejectedPackMs: 5 * 60_000,
} as const;
