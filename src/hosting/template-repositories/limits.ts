export const TEMPLATE_LIMITS = {
  /** The file in a template repository that lists which files to expand. */
  templateListBytesMax: 64 * 1024,
  templatePatternsMax: 100,
  templatePatternCharsMax: 256,
  /** Alternatives of the braces in one pattern. */
  templateAlternativesMax: 32,
  templateMatchStepsMax: 20_000_000,
  /** Files and folders of a template repository with files to expand. */
  templateEntriesMax: 10_000,
  /** Larger files are copied unexpanded. */
  templateFileBytesMax: 1024 * 1024,
  /** All files of a template repository that are expanded. */
  templateBytesMax: 16 * 1024 * 1024,
} as const;
