export const TAG_LIMITS = {
  /** Objects of tags that one list reads at once. */
  tagsReadAtOnceMax: 16,
} as const;
