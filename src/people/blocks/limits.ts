export const BLOCK_LIMITS = {
  /** Users whom one user or organization blocks. */
  blockedPerAccountMax: 10_000,
} as const;
