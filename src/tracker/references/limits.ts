export const REFERENCE_LIMITS = {
  /** Text in which references are searched, and references of one kind (users, teams, issues, commits) that count. */
  referenceTextCharsMax: 64 * 1024,
  referencesPerTextMax: 250,
} as const;
