/** Rendering of Markdown. A text has at most the size of a request body. */
export const MARKDOWN_LIMITS = {
  /** Rendering one text, in a thread with this memory. */
  markdownMs: 5_000,
  markdownMemoryMib: 256,
  markdownIdleMs: 30_000,
  /** HTML of one text. */
  renderedCharsMax: 8 * 1024 * 1024,
  /** Texts that wait for the thread. */
  markdownQueueMax: 256,
  markdownQueuePerCallerMax: 16,
  markdownWaitMs: 30_000,
  /** References of one text that become links. The others stay text. */
  renderedLinksMax: 2_000,
  /** Different references of one text that are looked up, of each kind. */
  renderedReferencesMax: 250,
  /** Ids of commits among them, which need git. */
  renderedCommitsMax: 50,
  shownCommitIdChars: 10,
} as const;
