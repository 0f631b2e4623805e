export const ADOPTION_LIMITS = {
  /** A pattern with many stars takes long to compare. */
  patternCharsMax: 200,
  patternStarsMax: 4,
} as const;
