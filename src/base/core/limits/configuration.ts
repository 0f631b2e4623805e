/** Files that configure tools. */
export const CONFIGURATION_LIMITS = {
  /** A larger `.editorconfig` is ignored, and so is a section with a longer name. */
  editorConfigBytesMax: 64 * 1024,
  editorConfigSectionCharsMax: 1024,
  /** Steps of matching a path with all sections. */
  editorConfigStepsMax: 500_000,
  /** A larger file with a template for issues is ignored. */
  issueTemplateBytesMax: 64 * 1024,
  issueTemplatesMax: 100,
  /** Text of all templates for issues of a repository. Further ones are left out. */
  issueTemplateCharsMax: 512 * 1024,
  issueTemplatesCachedCharsMax: 8 * 1024 * 1024,
  /** A file in YAML, or the part of a file that is in YAML, and its value as JSON. */
  yamlBytesMax: 32 * 1024,
  yamlValueCharsMax: 256 * 1024,
} as const;
