export const COMMIT_LIMITS = {
  /** Commits that a comparison lists without paging. */
  comparedCommitsListedMax: 250,
} as const;
