import {
  ARCHIVE_LIMITS,
  CONFIGURATION_LIMITS,
  GIT_DATA_LIMITS,
  IMPORT_LIMITS,
  ISSUE_LIMITS,
  KEY_LIMITS,
  LFS_LIMITS,
  NOTE_LIMITS,
  OBJECT_LIMITS,
  PROTECTION_LIMITS,
  SIGN_IN_LIMITS,
  TEXT_SEARCH_LIMITS,
} from './more-limits.ts';

/**
 * All limits that are not settings, by name. The name gives the unit. `app/config.ts` has the settings that an operator
 * can change.
 */
export const LIMITS = {
  ...PROTECTION_LIMITS,
  ...ISSUE_LIMITS,
  pageItemsDefault: 30,
  pageItemsMax: 50,
  /** The contents API omits the content of larger blobs. */
  contentsBlobBytesMax: 10 * 1024 * 1024,
  treesPerPageDefault: 1000,

  jsonBodyBytesMax: 1024 * 1024,
  /** Body of a request that writes files, in base64 and JSON. */
  fileBodyBytesMax: 100 * 1024 * 1024,
  /** All of that body except the contents of the files. Only this part is whole in memory. */
  fileFieldsBytesMax: 2 * 1024 * 1024,
  /** Files that one request changes. */
  filesPerChangeMax: 1_000,
  /** Bodies of requests in memory, of all callers and of one. */
  bodyBytesInFlightMax: 64 * 1024 * 1024,
  bodyBytesPerCallerMax: 16 * 1024 * 1024,
  /** Requests that wait until there is room for their bodies. */
  bodyQueueMax: 512,
  bodyQueuePerCallerMax: 64,
  bodyQueueWaitMs: 15_000,
  /** Rate below which the server loses patience with the sender of a body. */
  bodyBytesPerSecondMin: 16 * 1024,
  bodyPatienceMs: 60_000,
  /** Responses in memory that their clients have not read yet, of all callers and of one. */
  responseBytesInFlightMax: 128 * 1024 * 1024,
  responseBytesPerCallerMax: 32 * 1024 * 1024,
  /** Smaller responses do not count: they fit in the buffer of a connection. */
  responseBytesUncounted: 256 * 1024,
  /** Time for the headers of a request. */
  headersMs: 20_000,
  /** Connections that exceed that time are ended this often. */
  connectionsCheckedEveryMs: 5_000,
  pathParameterCharsMax: 4096 * 3,
  headerBytesMax: 32 * 1024,

  nameCharsMax: 40,
  repositoryNameCharsMax: 100,
  descriptionCharsMax: 2048,
  branchNameCharsMax: 100,
  websiteCharsMax: 1024,
  /** Address of an external tracker or wiki. */
  externalUrlCharsMax: 2048,
  /** Pattern that finds the issues of an external tracker in text. */
  trackerPatternCharsMax: 1024,
  refNameBytesMax: 1024,
  treePathBytesMax: 4096,
  treeNameBytesMax: 255,
  commitMessageCharsMax: 1024 * 1024,
  passwordCharsMin: 8,
  passwordCharsMax: 1024,
  tokenNameCharsMax: 255,
  tokensPerAccountMax: 1000,
  repositoriesPerTokenMax: 100,
  emailCharsMax: 254,
  emailsPerAccountMax: 50,
  searchWordCharsMax: 255,
  /** Text of a repository search. */
  searchTextCharsMax: 2048,
  /** Comma-separated words in that text. */
  searchWordsMax: 20,
  /** Trigrams that find the candidates for one word: the first ones of a long word. */
  searchTrigramsMax: 32,
  /** Up to this many matches are found and sorted. For more, the search walks the index of the requested order. */
  searchSortedMax: 1_000,
  /** Cached match counts with their queries. */
  searchCountsRememberedBytesMax: 1024 * 1024,
  /** Repositories whose visibility changes in one statement; more of them take several. */
  repositoriesChangedAtOnceMax: 500,
  teamNameCharsMax: 255,
  topicCharsMax: 35,
  topicsPerRepositoryMax: 25,
  statusesPerCommitMax: 10_000,
  statusContextCharsMax: 255,
  statusDescriptionCharsMax: 1024,
  teamsPerOrganizationMax: 1000,
  /** One profile field of an account, such as its location. */
  profileFieldCharsMax: 255,

  /** The file in a template repository that lists which files to expand. */
  templateListBytesMax: 64 * 1024,
  templatePatternsMax: 100,
  templatePatternCharsMax: 256,
  /** Alternatives of the braces in one pattern. */
  templateAlternativesMax: 32,
  templateMatchStepsMax: 20_000_000,
  /** Files and folders of a template repository with files to expand. */
  templateEntriesMax: 10_000,
  /** Larger files are copied unexpanded. */
  templateFileBytesMax: 1024 * 1024,
  /** All files of a template repository that are expanded. */
  templateBytesMax: 16 * 1024 * 1024,

  /** Packed bytes of one push. */
  pushPackBytesMax: 16 * 1024 * 1024 * 1024,
  /** Unpacked bytes of one object of a push, and of all. Settings override them. */
  pushObjectBytesMax: 2 * 1024 * 1024 * 1024,
  pushUnpackedBytesMax: 128 * 1024 * 1024 * 1024,
  /** A pack inflates to at most this many times its size, beyond one object of the largest size. */
  pushExpansionMax: 100,
  /** Object that a push sends as a difference to another one. git sends larger files whole. */
  deltaResultBytesMax: 512 * 1024 * 1024,
  pushCommandsMax: 50_000,
  pushCommandBytesMax: 16 * 1024 * 1024,
  pushOptionsMax: 32,
  pushOptionBytesMax: 4096,
  /** One change loses at most this many races against other writers; then its caller receives `busy`. */
  lostRacesMax: 20,
  /** Changes of one branch by the server itself that wait for their turn. */
  branchQueueMax: 256,
  branchQueuePerCallerMax: 64,
  branchQueueWaitMs: 60_000,
  /** Rate below which the server loses patience with the client of a fetch or push. A setting overrides the patience. */
  transferBytesPerSecondMin: 2 * 1024,
  transferPatienceMs: 120_000,
  /** Requests of fetches that are being received, and responses that their clients have not read yet. */
  fetchRequestsAtOnceMax: 512,
  fetchRequestsPerCallerMax: 64,
  fetchResponsesAtOnceMax: 256,
  fetchResponsesPerCallerMax: 64,
  /** Time to send the whole request of a fetch. */
  fetchRequestMs: 5 * 60_000,
  /** Pushes that are being received. */
  uploadsAtOnceMax: 128,
  uploadsPerCallerMax: 16,
  /** Part of a request, response or pack that is kept in memory. The rest goes to a temporary file. */
  spoolMemoryBytesMax: 256 * 1024,
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
  /** Wants and haves of one fetch, inflated. */
  fetchRequestBytesMax: 64 * 1024 * 1024,
  /** Depth in the filter `tree:DEPTH` of a partial clone. */
  treeFilterDepthMax: 100,
  listRefsRequestBytesMax: 4 * 1024 * 1024,
  refPrefixesMax: 500,

  gitChildrenMax: 16,
  /** Git processes that serve fetches and index packs, for each core of the machine. Settings override them. */
  fetchSlotsPerCore: 4,
  pushSlotsPerCore: 2,
  gitQueueMax: 512,
  gitQueuePerCallerMax: 128,
  gitQueueWaitMs: 60_000,
  catFileProcessesMax: 32,
  catFileIdleMs: 30_000,
  /** New blobs that arrive piece by piece stay in memory up to this size, each and all of one request. */
  blobDraftInMemoryBytesMax: 64 * 1024,
  blobDraftsInMemoryBytesMax: 1024 * 1024,
  /** Larger blobs stream from a child process of their own and are never whole in memory. */
  objectInMemoryBytesMax: 1024 * 1024,
  /** Larger trees and commits are rejected: no honest one is as large. */
  structuredObjectBytesMax: 64 * 1024 * 1024,
  objectCacheBytesMax: 64 * 1024 * 1024,
  refsCachedMax: 500_000,
  /** Folder entries with cached last commits, found by walks. */
  lastCommitEntriesCachedMax: 200_000,
  /** Concurrent walks over commits that are not indexed yet. */
  lastCommitWalksAtOnceMax: 8,
  /** Commits of such a walk. With more, its callers receive `busy`, and a job indexes the history. */
  lastCommitStepsMax: 5_000,
  lastCommitWalkMs: 10_000,
  /** Steps of a walk before other work gets a turn. */
  lastCommitStepsInOneGo: 20,
  /** Delay before indexing, so that a burst of pushes is indexed once. */
  lastCommitDelayMs: 1_000,
  /** Objects of a push. With more, its history is indexed before the refs move, because a walk over it would be long. */
  objectsPushedUnindexedMax: 200,
  /** Time for indexing a history before the refs move. A job indexes the rest. */
  indexingBeforePushMs: 5 * 60_000,
  /** Repositories with open change indexes. */
  changeIndexesOpenMax: 64,
  /** Searches in one lookup: at most one for each entry on each chain of first parents. */
  changeLookupStepsMax: 500_000,
  /** Searches before other work gets a turn. */
  changeLookupStepsInOneGo: 500,
  /** New commits that a list reads one after the other, down to those that are indexed. With more, git lists them. */
  commitsListedUnindexedMax: 200,
  /** Steps through an index for one page or number of commits. With more, git lists them. */
  historyStepsMax: 300_000,
  /** Chains of commits since the last count of a history. Beyond them, all commits are counted again. */
  chainsCountedAgainMax: 64,
  /** Concurrent steps of building change indexes. */
  historiesIndexedAtOnceMax: 2,
  /** Commits and differences of one step. Then another repository gets its turn. */
  commitsIndexedInOneGo: 20_000,
  changesIndexedInOneGo: 150_000,
  /**
   * A commit with more differences or parents is opaque: walks read its trees. git reads the ids of a commit and its
   * parents in a line of at most 1,000 bytes.
   */
  changesPerCommitMax: 200_000,
  parentsComparedMax: 12,
  /** Commits and tree entries that are indexed without starting git: those of an ordinary push. */
  commitsComparedWithoutGit: 50,
  entriesComparedWithoutGit: 20_000,
  /** Opaque commits and changes in one index. With more, it does not grow, and walks read the rest. */
  opaqueCommitsMax: 1_000,
  changesIndexedMax: 50_000_000,
  /** Tips of which an index remembers that their history is indexed. */
  indexedTipsRememberedMax: 1_000,
  /** Concurrent blobs that stream from child processes of their own. */
  blobStreamsAtOnceMax: 32,
  /** Larger blobs are not shared by their readers. */
  sharedBlobBytesMax: 1024 * 1024 * 1024,
  /** Temporary files of shared blobs. A caller has room for two of the largest. */
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
  /** Memory of a git child process that compares trees: a few small trees can stand for a billion files. */
  gitComparisonBytesMax: 256 * 1024 * 1024,
  /** Run time of comparing the commits of one response with their parents. */
  commitChangesMs: 10_000,
  /** Entries of all folders in which one commit of the API changes files. */
  treeEntriesEditedMax: 500_000,
  ...ARCHIVE_LIMITS,
  ...OBJECT_LIMITS,
  ...CONFIGURATION_LIMITS,
  ...KEY_LIMITS,
  ...LFS_LIMITS,
  ...GIT_DATA_LIMITS,
  ...NOTE_LIMITS,
  ...IMPORT_LIMITS,
  ...SIGN_IN_LIMITS,
  ...TEXT_SEARCH_LIMITS,
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
  /** A rejected pack is still read for this many bytes and this long, so that its sender reads the response. */
  rejectedPackBytesMax: 1024 * 1024 * 1024,
  rejectedPackMs: 5 * 60_000,
  tagChainMax: 50,
  /** Cached objects of one write session. */
  sessionCacheBytesMax: 16 * 1024 * 1024,
  verifyProblemsMax: 100,

  objectKeyCharsMax: 512,
  objectKeyPartCharsMax: 200,
  durableFoldersRemembered: 10_000,
  /** Incomplete objects older than this are abandoned. */
  incomingObjectMs: 24 * 60 * 60_000,

  /** Each one occupies 19 MiB and a core. */
  passwordHashesAtOnceMax: 8,
  passwordHashQueueMax: 2048,
  /** Waiting hashes of one lane. There are four, so none of them fills the queue. */
  passwordHashQueuePerLaneMax: 512,
  /** Waiting hashes of one network or account. */
  passwordHashQueuePerCallerMax: 128,
  passwordHashWaitMs: 30_000,
  /** Threads that hashes leave to files and name lookups. */
  threadsWithoutHashesMin: 2,
  verifiedCredentialsMax: 10_000,
  /** A verified password that no client uses for this long is hashed again. */
  verifiedCredentialMs: 5 * 60_000,
  /** Failed sign-ins of one account from one address before responses slow down. */
  failedSignInsFree: 5,
  /** Delay of the first slowed response. It doubles with each further one. */
  failedSignInDelayMsMin: 250,
  failedSignInDelayMsMax: 5_000,
  /** Concurrent slowed responses over all accounts. Further attempts are rejected. */
  failedSignInDelaysAtOnceMax: 1_000,
  failedSignInsRemembered: 10_000,
  failedSignInForgetMs: 15 * 60_000,
  /** Different passwords in concurrent attempts on one account from one network, including slowed responses. */
  signInsAtOncePerAccountMax: 8,
  /** Accounts, networks, and pairs of both with a correct password. */
  signInsRememberedMax: 10_000,
  signInRememberedMs: 7 * 24 * 60 * 60_000,
  /** Networks whose anonymous requests count as those of members, after a member used an account there. */
  familiarNetworksMax: 10_000,
  networkFamiliarMs: 60 * 60_000,
  /** The recorded last sign-in of an account may lag behind by this much. */
  lastSignInLagMs: 60 * 60_000,

  /** Connections of one process to PostgreSQL. */
  databaseConnectionsMax: 10,
  /** Statements that each connection keeps prepared. PostgreSQL takes some 30 KiB for each. */
  databaseStatementsPreparedMax: 200,
  /** Concurrent transactions. The other connections are for statements that read, which never wait for a lock. */
  databaseTransactionsAtOnceMax: 7,
  databaseTransactionsPerCallerMax: 4,
  databaseQueueMax: 1_024,
  databaseQueuePerCallerMax: 256,
  databaseQueueWaitMs: 30_000,
  /** A transaction that waits longer for a lock is undone. */
  databaseLockMs: 30_000,
  databaseConnectMs: 10_000,

  /** Events are kept for at least this long and until all readers have read them. */
  eventsKeptMs: 30 * 24 * 60 * 60_000,
  eventsReadAtOnceMax: 500,
  eventsPrunedAtOnceMax: 1_000,
  eventsPruneEveryMs: 60 * 60_000,
  /** Readers of events and jobs poll this often, because a hint can get lost. */
  hintsMissedMs: 5_000,

  /** In one process. */
  jobsAtOnceMax: 4,
  /** A job passes to another process when its own has not extended the lease for this long. */
  jobLeaseMs: 60_000,
  jobAttemptsMax: 10,
  /** Delay of the first retry. It doubles with each further one. */
  jobRetryMsMin: 10_000,
  jobRetryMsMax: 60 * 60_000,
  /** A stopping server waits this long for its jobs. */
  jobStopWaitMs: 20_000,
  jobErrorCharsMax: 2_000,
  failedJobsListedMax: 1_000,
  /** Jobs started before the worker returns to its loop. */
  jobsStartedInOneGoMax: 100,

  /** Delay between a push and the measurement of the repository, which covers all pushes in between. */
  measureDelayMs: 2_000,
  /** Delay between a push and the measurement of languages, which covers all pushes in between. */
  languagesDelayMs: 2_000,
  /** Files and folders of one measurement. Repositories with more show no languages. */
  languageFilesMax: 500_000,
  /** Folder entries processed before other work gets a turn. */
  languageFilesInOneGo: 500,
  languageSizesReadAtOnce: 64,
  /** A larger `.gitattributes` is ignored when languages are measured. */
  languageRulesBytesMax: 64 * 1024,
  /** Lines of `.gitattributes` that concern languages. Further ones are ignored. */
  languageRulesMax: 100,
  languagePatternCharsMax: 255,
  /** A repository with this many packs or loose objects is repacked. */
  packsMax: 50,
  looseObjectsMax: 2_000,
  /** A repository that grew by this much since its last measurement gets a new commit-graph. */
  commitGraphGrowthBytesMin: 1024 * 1024,
  /** Delay between a push and a prune: longer than the time for which unused objects are kept. */
  pruneDelayMs: 15 * 24 * 60 * 60_000,
  /** Rows of deleted refs are kept for at least this long, for caches that read only what has changed. */
  deletedRefsKeptMs: 7 * 24 * 60 * 60_000,
  /** Packs and loose objects that maintenance deletes before pushes get a turn. */
  objectFilesDeletedInOneGo: 100,
  /** A command that waits for the purge of a repository looks this often. */
  purgePollMs: 200,
  /** A maintenance job that pushes overtake this often waits for a quieter time. */
  maintenanceRacesMax: 3,
  sweepEveryMs: 60 * 60_000,
  /** Unfinished work older than this is abandoned: no push takes as long. */
  sweepGraceMs: 24 * 60 * 60_000,

  /** A page shows the text of a file up to this size, and links to larger ones. */
  pageFileBytesMax: 512 * 1024,
  /** A page lists this many entries of a folder. */
  pageEntriesMax: 2_000,
} as const;
