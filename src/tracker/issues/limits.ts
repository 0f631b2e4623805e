export const ISSUE_LIMITS = {
  /** Other repositories than that of the text in which issues are looked up. */
  repositoriesReferredToMax: 20,
  /** Commits of one push in whose messages references to issues are searched. */
  commitsReadForIssuesMax: 100,
  /** With more matches, a list in another order than by number checks issues along the index of that order. */
  issuesSortedMax: 4_000,
  /** With more issues before a page, a list finds out where to begin instead of merging all of them. */
  issuesMergedMax: 1_000,
  /** With more, a list that checks issues along an index looks up their required links once, and not for each issue. */
  issuesCheckedOneByOneMax: 3_000,
  /**
   * With more, a list of the comments of a repository in a range of time checks comments along the index of their ids.
   */
  commentsSortedMax: 20_000,
  /** Issues that are counted to find out which condition of a filter matches the fewest. */
  issuesCountedForWayMax: 5_000,
  /**
   * Texts with the words of a search that the search looks at, newest first: of issues, in one repository and in all.
   * It looks at half as many comments, and at half as many texts with the words of a phrase.
   */
  searchedTextsMax: 6_000,
  searchedTextsAnywhereMax: 3_500,
  foundIssuesMax: 1_000,
  /**
   * Words that all terms of a search stand for together. If it searches several repositories one at a time, each word
   * counts for each of them. Of the words with one beginning, the shortest are used.
   */
  searchedWordsMax: 10,
  searchedWordsOfRepositoriesMax: 80,
  comparedWordsMax: 2_000,
  /**
   * If fewer issues match the filter of a search, it lists them first. If there are few, it looks up the words of each
   * issue.
   */
  issuesListedForSearchMax: 20_000,
  issuesListedOfOwnerMax: 50_000,
  /** Issues that are listed in the time in which one issue is checked. */
  issuesListedPerCheck: 4,
  /**
   * If at most this many issues with this much text match the filter, the search reads their texts instead of the
   * indexes of words.
   */
  issuesReadForSearchMax: 3_000,
  issueTextsReadForSearchBytesMax: 512 * 1024,
  /**
   * If more issues match, the search reads the texts of this many, newest first, if the indexes of words reach less far
   * back.
   */
  newestIssuesReadForSearchMax: 1_000,
  /** Words that a search looks up in indexes, one issue after the other. */
  wordsLookedUpForSearchMax: 200,
  /** Repositories given to a viewer that a search looks up once. With more, each of its statements looks them up. */
  givenRepositoriesListedMax: 5_000,
  /** Issues whose comments a search lists. */
  issuesListedForCommentsMax: 1_000,
  /**
   * Repositories of an owner or a team that a search over all repositories searches, and how many it searches one at a
   * time.
   */
  searchedRepositoriesMax: 500,
  repositoriesSearchedOneByOneMax: 100,
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
