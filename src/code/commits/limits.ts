export const COMMIT_LIMITS = {
  /** Commits that a comparison lists without paging. */
  comparedCommitsListedMax: 250,
  /** Last common commits of two commits that are remembered. */
  mergeBasesCachedMax: 10_000,
} as const;
