export const TEXT_SEARCH_LIMITS = {
  /** Start of a text whose words are indexed. */
  indexedTextCharsMax: 256 * 1024,
  /** Words of all texts of one row, the bytes of different words, and the length of a word. */
  indexedWordsMax: 50_000,
  indexedWordBytesMax: 640 * 1024,
  indexedWordCharsMax: 64,
  /** A query, and the words in it. */
  wordQueryCharsMax: 500,
  wordQueryWordsMax: 64,
} as const;
