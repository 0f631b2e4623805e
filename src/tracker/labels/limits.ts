export const LABEL_LIMITS = {
  /** Labels of one repository or of one organization. */
  labelsPerOwnerMax: 1_000,
  labelNameCharsMax: 255,
  labelDescriptionCharsMax: 1_024,
} as const;
