export const NODE_INFO_LIMITS = {
  /** Counts of the whole site are counted again when they are this old. */
  countsRememberedMs: 60 * 60_000,
} as const;
