export const TAG_LIMITS = {
  /** Objects of tags that one list reads at once. */
  tagsReadAtOnceMax: 16,
  /** More tags are listed by name only, because comparing the numbers in names takes time. */
  tagsSortedMax: 5_000,
} as const;
