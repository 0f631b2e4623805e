export const STATUS_LIMITS = {
  statusesPerCommitMax: 10_000,
  statusContextCharsMax: 255,
  statusDescriptionCharsMax: 1024,
} as const;
