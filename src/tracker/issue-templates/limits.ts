export const ISSUE_TEMPLATE_LIMITS = {
  /** A larger file with a template for issues is ignored. */
  issueTemplateBytesMax: 64 * 1024,
  issueTemplatesMax: 100,
  /** Text of all templates for issues of a repository. Further ones are left out. */
  issueTemplateCharsMax: 512 * 1024,
  issueTemplatesCachedCharsMax: 8 * 1024 * 1024,
} as const;
