/**
 * Every limit that is not a setting, by name. Sizes are bytes, times milliseconds, unless the name says else.
 * Settings an operator may change are in `app/config.ts`.
 */
export const LIMITS = {
  pageItemsDefault: 30,
  pageItemsMax: 50,
  /** Blobs above this are answered by the contents API without their content. */
  contentsBlobBytesMax: 10 * 1024 * 1024,
  treesPerPageDefault: 1000,

  jsonBodyBytesMax: 1024 * 1024,
  /** A file written over the API, base64 included. */
  fileBodyBytesMax: 100 * 1024 * 1024,
  pathParameterCharsMax: 4096 * 3,
  headerBytesMax: 32 * 1024,

  nameCharsMax: 40,
  repositoryNameCharsMax: 100,
  descriptionCharsMax: 2048,
  branchNameCharsMax: 100,
  websiteCharsMax: 1024,
  /** The address of a tracker or wiki elsewhere, and the pattern that tells its issues in a text. */
  externalUrlCharsMax: 2048,
  trackerPatternCharsMax: 1024,
  refNameBytesMax: 1024,
  treePathBytesMax: 4096,
  treeNameBytesMax: 255,
  commitMessageCharsMax: 1024 * 1024,
  identityCharsMax: 255,
  passwordCharsMin: 8,
  passwordCharsMax: 1024,
  tokenNameCharsMax: 255,
  tokensPerAccountMax: 1000,
  repositoriesPerTokenMax: 100,
  emailCharsMax: 254,
  emailsPerAccountMax: 50,
  searchWordCharsMax: 255,
  /** What is looked for in repositories, and into how many words commas may part it. */
  searchTextCharsMax: 2048,
  searchWordsMax: 20,
  /** Of a long word the first ones find what may hold it. */
  searchTrigramsMax: 32,
  /** As many repositories are found and then sorted; more are walked through in the order asked for. */
  searchSortedMax: 1_000,
  /** Numbers of repositories that were counted, with the questions they answer. */
  searchCountsRememberedBytesMax: 1024 * 1024,
  teamNameCharsMax: 255,
  topicCharsMax: 35,
  topicsPerRepositoryMax: 25,
  teamsPerOrganizationMax: 1000,
  /** one field of what an account tells about itself, such as its location */
  profileFieldCharsMax: 255,

  /** What is filled in of a template: the list of its files, and the files that are. */
  templateListBytesMax: 64 * 1024,
  templatePatternsMax: 100,
  templatePatternCharsMax: 256,
  /** of the braces in one pattern */
  templateAlternativesMax: 32,
  templateMatchStepsMax: 20_000_000,
  /** files and folders of a template that has anything to fill in */
  templateEntriesMax: 10_000,
  /** Larger files stay as they are. */
  templateFileBytesMax: 1024 * 1024,
  templateBytesMax: 16 * 1024 * 1024,

  /** One push: its packed bytes, its commands and its options. */
  pushPackBytesMax: 16 * 1024 * 1024 * 1024,
  pushCommandsMax: 50_000,
  pushCommandBytesMax: 16 * 1024 * 1024,
  pushOptionsMax: 32,
  pushOptionBytesMax: 4096,
  /** A push or fetch whose client neither sends nor takes anything for this long is ended: it holds a place. */
  transferIdleMs: 120_000,
  /** What a fetch may ask with its wants and haves, inflated. */
  fetchRequestBytesMax: 64 * 1024 * 1024,
  listRefsRequestBytesMax: 4 * 1024 * 1024,
  refPrefixesMax: 500,

  gitChildrenMax: 16,
  fetchesAtOnceMax: 8,
  packsIndexedAtOnceMax: 4,
  gitQueueMax: 512,
  gitQueueWaitMs: 60_000,
  catFileProcessesMax: 8,
  catFileIdleMs: 30_000,
  /** Objects above this are streamed by a child of their own, never held whole. */
  objectInMemoryBytesMax: 1024 * 1024,
  /** A tree or commit above this is refused: no honest one is as large. */
  structuredObjectBytesMax: 64 * 1024 * 1024,
  objectCacheBytesMax: 64 * 1024 * 1024,
  refsCachedMax: 500_000,
  /** Entries of folders whose last commits are remembered. */
  lastCommitEntriesCachedMax: 200_000,
  /** Entries of new folders in one commit; where there are more, its branch is not indexed, and readers walk. */
  lastCommitEntriesIndexedMax: 500_000,
  /** Entries that are looked at before everybody else has a turn. */
  lastCommitEntriesInOneGo: 500,
  /** Indexed commits that are no tips any more, before their rows are cleared away. */
  lastCommitStaleTipsMax: 50,
  /** So that a burst of pushes is indexed once. */
  lastCommitDelayMs: 1_000,
  /** Blobs read through a child of their own, at once. */
  blobStreamsAtOnceMax: 32,
  /** What a git child may take in all before it is ended. */
  gitChildMs: 60 * 60_000,
  /** What counting or comparing two histories may take. */
  historyWalkMs: 60_000,
  gitStderrBytesMax: 16 * 1024,
  gitAnswerBytesMax: 16 * 1024 * 1024,
  /** A refused pack is read on for this much and this long, so that its sender reads our answer. */
  refusedPackBytesMax: 1024 * 1024 * 1024,
  refusedPackMs: 5 * 60_000,
  tagChainMax: 50,
  /** Objects that only a write session sees are remembered up to this. */
  sessionCacheBytesMax: 16 * 1024 * 1024,
  verifyProblemsMax: 100,

  objectKeyCharsMax: 512,
  objectKeyPartCharsMax: 200,
  durableFoldersRemembered: 10_000,
  /** What was not stored whole after this is taken for abandoned. */
  incomingObjectMs: 24 * 60 * 60_000,

  passwordHashesAtOnceMax: 2,
  passwordHashQueueMax: 64,
  verifiedCredentialsMax: 10_000,
  verifiedCredentialMs: 5 * 60_000,
  /** Wrong sign-ins of one account from one address before answers slow down. */
  failedSignInsFree: 5,
  /** The first slowed answer waits this long, each further one twice as long as the one before. */
  failedSignInDelayMsMin: 250,
  failedSignInDelayMsMax: 5_000,
  /** Answers that are being slowed down at once, over all accounts; further ones are refused instead. */
  failedSignInDelaysAtOnceMax: 1_000,
  failedSignInsRemembered: 10_000,
  failedSignInForgetMs: 15 * 60_000,
  /** Different passwords that are being tried at once for one account from one address, slowed answers included. */
  signInsAtOncePerAccountMax: 8,
  /** Different passwords that are being tried at once from one address, for whatever accounts; more wait in line. */
  signInsAtOncePerAddressMax: 16,
  signInsQueuedPerAddressMax: 256,
  /** How much older the recorded sign-in of an account may be than its newest one. */
  lastSignInLagMs: 60 * 60_000,

  /** Events are kept at least this long, and until everybody who reads them has taken them. */
  eventsKeptMs: 30 * 24 * 60 * 60_000,
  eventsReadAtOnceMax: 500,
  eventsPrunedAtOnceMax: 1_000,
  eventsPruneEveryMs: 60 * 60_000,
  /** Whoever waits for events or jobs looks this often by itself, should a hint be lost. */
  hintsMissedMs: 5_000,

  /** Of one process. */
  jobsAtOnceMax: 4,
  /** A job whose process has not been heard of for this long is given to another one. */
  jobLeaseMs: 60_000,
  jobAttemptsMax: 10,
  /** The first retry waits this long, each further one twice as long as the one before. */
  jobRetryMsMin: 10_000,
  jobRetryMsMax: 60 * 60_000,
  /** A server that stops waits this long for its jobs. */
  jobStopWaitMs: 20_000,
  jobErrorCharsMax: 2_000,
  failedJobsListedMax: 1_000,
  /** Before the worker looks around again. */
  jobsStartedInOneGoMax: 100,

  /** A push is followed by a measurement of the repository after this; those in between are measured with it. */
  measureDelayMs: 2_000,
  /** A push is followed by a measurement of languages after this; those in between are measured with it. */
  languagesDelayMs: 2_000,
  /** Files and folders of one measurement; where there are more, no language is told. */
  languageFilesMax: 500_000,
  /** Entries of folders that are looked at before everybody else has a turn. */
  languageFilesInOneGo: 500,
  languageSizesReadAtOnce: 64,
  /** A larger `.gitattributes` says nothing of languages, and nothing after its first so many lines that could. */
  languageRulesBytesMax: 64 * 1024,
  languageRulesMax: 100,
  languagePatternCharsMax: 255,
  /** A repository with as many of either is repacked. */
  packsMax: 50,
  looseObjectsMax: 2_000,
  /** A repository that grew by as much since it was last measured gets a new commit-graph. */
  commitGraphGrowthBytesMin: 1024 * 1024,
  /** A push is followed by a prune after this: more than the time for which unused objects are kept. */
  pruneDelayMs: 15 * 24 * 60 * 60_000,
  /** A maintenance job that pushes overtake this often waits for a quieter time. */
  maintenanceRacesMax: 3,
  sweepEveryMs: 60 * 60_000,
  /** Unfinished work is taken for abandoned after this: no push takes as long. */
  sweepGraceMs: 24 * 60 * 60_000,

  noteTitleCharsMax: 100,
  /** Larger files are named in a list, but not shown. */
  noteBytesMax: 4 * 1024 * 1024,
  /** A request with a note, its escapes included. */
  noteBodyBytesMax: 16 * 1024 * 1024,
  notesPerNotebookMax: 100_000,
  /** Pairs of notes that one change compares to find out which were renamed; beyond it only equal ones are. */
  noteRenamePairsMax: 10_000,
  noteBlobsReadAtOnce: 32,
  /** Longer texts are not compared line by line. */
  noteComparedCharsMax: 256 * 1024,
  /** Commits of one push that are looked at one by one for renames; of a longer one only its two ends are. */
  noteRenameCommitsMax: 100,
  /** A deleted note's id is kept this long for the return of its file. */
  noteDeletedKeptMs: 90 * 24 * 60 * 60_000,
} as const;
