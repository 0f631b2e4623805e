export const IMPORT_LIMITS = {
  /** Records of one page that an import asks for, the bytes of the page, and the time to read it. */
  importedPageItemsMax: 50,
  importedPageBytesMax: 32 * 1024 * 1024,
  importedPageMs: 2 * 60_000,
  /** Records of one list that an import reads, including records that it does not import. */
  importedIssuesMax: 50_000,
  importedCommentsMax: 200_000,
  importedPullsMax: 50_000,
  /** Reviews of all pull requests, and their comments on lines. */
  importedReviewsMax: 200_000,
  importedReviewCommentsMax: 200_000,
  /** Pull requests whose reviews are read at once. */
  importedReviewListsAtOnce: 4,
  /** Pull requests without a list of reviews, after which the source counts as one that gives no reviews. */
  importedReviewListsMissingMax: 20,
  /** Path of a file with a comment on its lines, and the part of the differences that the comment shows. */
  importedPathCharsMax: 4_096,
  importedHunkCharsMax: 65_536,
  importedLineMax: 2 ** 31 - 1,
  /** Texts of all issues, comments and reviews of one import, in characters. */
  importedTextCharsMax: 512 * 1024 * 1024,
  /** Releases of one import, their assets, and the time to receive one file. */
  importedReleasesMax: 5_000,
  importedAssetsMax: 5_000,
  importedAssetMs: 30 * 60_000,
  importedIssueNumberMax: 2 ** 31 - 1,
  importedNameCharsMax: 255,
  /** Users or organizations of one server, and repositories of one owner, that an import reads. */
  importedUsersMax: 100_000,
  importedRepositoriesMax: 20_000,
  /** Labels, assignees or attachments in one record. */
  importedListItemsMax: 1_000,
} as const;
