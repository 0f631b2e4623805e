export const ISSUE_LIMITS = {
  /** Other repositories than that of the text in which issues are looked up. */
  repositoriesReferredToMax: 20,
  /** Commits of one push in whose messages references to issues are searched. */
  commitsReadForIssuesMax: 100,
  /** With more matches, a list is read along the index of its order, unless the index of a filter has the order. */
  issuesSortedMax: 4_000,
  /**
   * With more, a list of the comments of a repository in a range of time checks comments along the index of their ids.
   */
  commentsSortedMax: 20_000,
  /** Issues that are counted for each condition of a filter to find out which condition matches the fewest. */
  issuesCountedForIndexMax: 5_000,
  foundIssuesMax: 1_000,
  /** Shortest beginning of a word that finds the word, and words of one search that may be beginnings. */
  searchedBeginningCharsMin: 3,
  searchedBeginningsMax: 4,
  /**
   * Texts with the words of a search that the search looks at, newest first, if it compares only their ids: in one
   * repository, and in all.
   */
  textsComparedMax: 150_000,
  textsComparedAnywhereMax: 50_000,
  /** The same, if it reads rows of each: of an issue or a title, and of a comment. */
  textsCheckedMax: 15_000,
  commentsCheckedMax: 5_000,
  /** On PostgreSQL, a search looks at this many times fewer texts. */
  textsSearchedLessOnPostgresql: 5,
  /** If fewer issues match the filter of a search, it lists them first. */
  issuesListedForSearchMax: 20_000,
  /** Without words, it lists so many issues of an owner. */
  issuesListedOfOwnerMax: 50_000,
  /** If fewer issues with less text match the filter of a search, it reads their texts instead of the index of words. */
  issuesReadForSearchMax: 3_000,
  textsReadForSearchBytesMax: 1024 * 1024,
  /** Repositories given to a viewer that a search looks up once. With more, each of its statements looks them up. */
  givenRepositoriesListedMax: 5_000,
  /** Repositories of an owner or a team that a search searches, and how many the index of words selects. */
  searchedRepositoriesMax: 500,
  repositoriesSearchedByWordMax: 100,
  issueTitleCharsMax: 255,
  /** Text of an issue or of a comment. */
  issueBodyCharsMax: 262_144,
  issueRefCharsMax: 255,
  /** Reason of a lock. */
  issueLockReasonCharsMax: 255,
  /** Pinned issues of one repository. */
  pinnedIssuesMax: 3,
  /** Labels of one issue, and its assignees. */
  issueLinksMax: 100,
  /** Issues on which one issue depends, and issues that depend on it. */
  issueDependenciesMax: 100,
  /** A file of an issue or a comment, its name, and the files of one issue or comment. */
  issueAttachmentBytesMax: 512 * 1024 * 1024,
  issueAttachmentNameCharsMax: 255,
  issueAttachmentsMax: 100,
  /** Such files that are being uploaded, of all callers and of one caller. */
  issueUploadsAtOnceMax: 64,
  issueUploadsPerCallerMax: 8,
  /** Times that users worked on one issue, and the seconds of one time: ten years. */
  timesPerIssueMax: 10_000,
  trackedSecondsMax: 10 * 365 * 24 * 60 * 60,
  /** Rows that one statement stages or publishes, and texts whose words one transaction indexes. */
  importedRowsAtOnce: 500,
  importedTextsIndexedAtOnce: 100,
} as const;
