export const WEB_LIMITS = {
  /** A page lists this many entries of a folder. */
  pageEntriesMax: 2_000,
  /** A page of a wiki is rendered up to this size, and links to the file of a larger one. */
  wikiPageBytesMax: 512 * 1024,
  /** Commits that the page of a comparison shows. */
  comparisonPageCommitsMax: 50,
  /** Comments that the page of an issue shows, and characters of each. */
  issuePageCommentsMax: 30,
  issuePageCommentCharsMax: 20_000,
  /** Releases that their page shows, and characters of the text of each. */
  releasesPageItemsMax: 20,
  releasePageCharsMax: 20_000,
  /** Activities, releases, tags or commits in a feed for feed readers. */
  feedEntriesMax: 50,
  /** Tags of which the newest are in their feed: those with the highest names. */
  feedTagsReadMax: 300,
} as const;
