export const REPOSITORY_LIMITS = {
  /** Requests that write objects without a ref. */
  objectWritesAtOnceMax: 32,
  objectWritesPerCallerMax: 8,
  objectWriteQueueMax: 512,
  objectWriteQueuePerCallerMax: 128,
  objectWriteQueueWaitMs: 60_000,
  /**
   * Requests of one caller in a period that write objects without a ref. Each of this many bytes counts as one more
   * request.
   */
  unreferencedObjectsPerPeriodMax: 50_000,
  unreferencedObjectsPeriodMs: 60 * 60_000,
  unreferencedObjectUnitBytes: 256 * 1024,
  objectWritersRememberedMax: 10_000,
  /** Users whom one text mentions, including the members of teams. */
  mentionedUsersMax: 500,
  /** Time between updates of a mirror that a caller may choose. */
  mirrorIntervalMsMin: 10 * 60_000,
  mirrorIntervalMsMax: 366 * 24 * 60 * 60_000,
  repositoryNameCharsMax: 100,
  descriptionCharsMax: 2048,
  branchNameCharsMax: 100,
  websiteCharsMax: 1024,
  /** Address of an external tracker or wiki. */
  externalUrlCharsMax: 2048,
  /** Pattern that finds the issues of an external tracker in text. */
  trackerPatternCharsMax: 1024,
  /** Trigrams that find the candidates for one word. Of a long word, the first ones are used. */
  searchTrigramsMax: 32,
  /** Of these, the rarest ones are searched for first, because the index walks the whole list of each. */
  searchTrigramsRare: 4,
  /** A trigram is rarer if this many rows with it end later in the index. */
  searchTrigramRowsSampled: 64,
  /** Up to this many matches are found and sorted. For more, the search walks the index of the requested order. */
  searchSortedMax: 1_000,
  /** Cached searches: the number of matches, or the matches if there are few, with the conditions of the search. */
  searchesRememberedBytesMax: 1024 * 1024,
  /** Repositories whose visibility changes in one statement. More repositories take several statements. */
  repositoriesChangedAtOnceMax: 500,
  /** Changes of one branch by the server itself that wait for their turn. */
  branchQueueMax: 256,
  branchQueuePerCallerMax: 64,
  branchQueueWaitMs: 60_000,
  /** One change loses at most this many races against other writers; then its caller receives `busy`. */
  lostRacesMax: 20,
} as const;
