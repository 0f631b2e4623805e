export const FLAG_LIMITS = {
  flagCharsMax: 255,
  flagsPerRepositoryMax: 100,
} as const;
