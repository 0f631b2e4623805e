export const SEARCH_LIMITS = {
  /** Text of a repository search. */
  searchTextCharsMax: 2048,
  /** Comma-separated words in that text. */
  searchWordsMax: 20,
} as const;
