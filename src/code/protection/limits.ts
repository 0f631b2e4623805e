export const PROTECTION_LIMITS = {
  protectionsPerRepositoryMax: 100,
  protectionPatternCharsMax: 255,
  /** Alternatives of the braces in one pattern. */
  protectionAlternativesMax: 32,
  /** Patterns of files in one protection, with their separators. */
  protectionFilePatternsCharsMax: 4096,
  /** Accounts or teams of one list in a protection. */
  protectionListMax: 500,
  statusContextsPerProtectionMax: 100,
  requiredApprovalsMax: 1_000,
  /**
   * Steps of comparing all names and paths of one request with the patterns of protections, and steps of one
   * comparison.
   */
  protectionMatchStepsMax: 200_000_000,
  protectionMatchStepsAtOnceMax: 200_000,
  /** Steps before other work gets a turn. */
  protectionMatchStepsInOneGo: 200_000,
  /** New commits of one push to a branch that requires signatures, and how many are read at a time. */
  signedCommitsPerPushMax: 1_000,
  signedCommitsInOneGo: 50,
} as const;
