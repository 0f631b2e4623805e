export const MARKDOWN_LIMITS = {
  /** Rendering one text, in a thread with this memory. */
  markdownMs: 5_000,
  markdownMemoryMib: 256,
  markdownIdleMs: 30_000,
  /** Nesting of elements in the HTML. The tags of deeper elements are dropped. */
  renderedNestingMax: 200,
  /** HTML of one text. */
  renderedCharsMax: 8 * 1024 * 1024,
  /** Texts up to this length have a thread of their own, so that they never wait for larger ones. */
  markdownSmallChars: 16 * 1024,
  /** Speed of rendering hostile texts. */
  markdownCharsPerMs: 100,
  /** URL of the page to which a text belongs. Each relative link repeats it, so a longer one is ignored. */
  markdownContextCharsMax: 8 * 1024,
  /** Time to find the pattern of an external tracker in all of one text. */
  trackerPatternMs: 250,
  /** Time of the threads that one caller may use in a period. */
  markdownMsPerPeriodMax: 20_000,
  markdownPeriodMs: 60_000,
  /** Texts that wait for a thread. */
  markdownQueueMax: 256,
  markdownQueuePerCallerMax: 16,
  markdownWaitMs: 30_000,
  /** References of one text that become links. Further references remain text. */
  renderedLinksMax: 2_000,
  /** Different references of one text that are looked up, of each kind. */
  renderedReferencesMax: 250,
  /** Ids of commits among them, which need git. */
  renderedCommitsMax: 50,
  shownCommitIdChars: 10,
} as const;
