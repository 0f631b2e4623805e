export const LANGUAGE_LIMITS = {
  /** Delay between a push and the measurement of languages, which covers all pushes in between. */
  languagesDelayMs: 2_000,
  /** Files and folders of one measurement. Repositories with more show no languages. */
  languageFilesMax: 500_000,
  /** Folder entries processed before other work gets a turn. */
  languageFilesInOneGo: 500,
  languageSizesReadAtOnce: 64,
  /** A larger `.gitattributes` is ignored when languages are measured. */
  languageRulesBytesMax: 64 * 1024,
  /** Lines of `.gitattributes` that concern languages. Further ones are ignored. */
  languageRulesMax: 100,
} as const;
