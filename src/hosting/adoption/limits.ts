export const ADOPTION_LIMITS = {
  /** A pattern for unadopted repositories, its alternatives in braces, and the steps of comparing all names with it. */
  unadoptedPatternCharsMax: 500,
  unadoptedPatternAlternativesMax: 100,
  unadoptedPatternStepsMax: 100_000_000,
} as const;
