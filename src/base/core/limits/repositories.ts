/** Repositories: their settings, searches, templates, files over the API, languages. */
export const REPOSITORY_LIMITS = {
  repositoryNameCharsMax: 100,
  descriptionCharsMax: 2048,
  branchNameCharsMax: 100,
  websiteCharsMax: 1024,
  /** Address of an external tracker or wiki. */
  externalUrlCharsMax: 2048,
  /** Pattern that finds the issues of an external tracker in text. */
  trackerPatternCharsMax: 1024,
  refNameBytesMax: 1024,
  treePathBytesMax: 4096,
  treeNameBytesMax: 255,
  commitMessageCharsMax: 1024 * 1024,
  /** The contents API omits the content of larger blobs. */
  contentsBlobBytesMax: 10 * 1024 * 1024,
  treesPerPageDefault: 1000,
  searchWordCharsMax: 255,
  /** Text of a repository search. */
  searchTextCharsMax: 2048,
  /** Comma-separated words in that text. */
  searchWordsMax: 20,
  /** Trigrams that find the candidates for one word. Of a long word, the first ones are used. */
  searchTrigramsMax: 32,
  /** Of these, the rarest ones are searched for first, because the index walks the whole list of each. */
  searchTrigramsRare: 4,
  /** A trigram is rarer if this many rows with it end later in the index. */
  searchTrigramRowsSampled: 64,
  /** Up to this many matches are found and sorted. For more, the search walks the index of the requested order. */
  searchSortedMax: 1_000,
  /** Cached searches: the number of matches, or the matches if there are few, with the conditions of the search. */
  searchesRememberedBytesMax: 1024 * 1024,
  /** Repositories whose visibility changes in one statement. More repositories take several statements. */
  repositoriesChangedAtOnceMax: 500,
  topicCharsMax: 35,
  topicsPerRepositoryMax: 25,
  flagCharsMax: 255,
  flagsPerRepositoryMax: 100,
  statusesPerCommitMax: 10_000,
  statusContextCharsMax: 255,
  statusDescriptionCharsMax: 1024,
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
