export const EDITORCONFIG_LIMITS = {
  /** A larger `.editorconfig` is ignored, and so is a section with a longer name. */
  editorConfigBytesMax: 64 * 1024,
  editorConfigSectionCharsMax: 1024,
  /** Steps of matching a path with all sections. */
  editorConfigStepsMax: 500_000,
} as const;
