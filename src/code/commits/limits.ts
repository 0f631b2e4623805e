export const COMMIT_LIMITS = {
  /** Commits that a comparison lists without paging. */
  comparedCommitsListedMax: 250,
  /** Files that differ between two commits: those that one page lists, and those whose lines it shows. */
  differencesListedMax: 500,
  differencesReadMax: 100,
} as const;
