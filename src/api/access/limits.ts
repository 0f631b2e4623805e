export const ACCESS_LIMITS = {
  /** A browser may change credentials for this long after its user has proved who they are. */
  proofMs: 15 * 60_000,
} as const;
