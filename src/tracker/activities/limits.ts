const DAY_MS = 24 * 60 * 60_000;

export const ACTIVITY_LIMITS = {
  /** Activities are kept for longer than the year of a heatmap. */
  keptMs: 400 * DAY_MS,
  pruneEveryMs: 60 * 60_000,
  prunedAtOnceMax: 1_000,
  /** Events that one transaction turns into activities. */
  eventsAtOnceMax: 50,
  /** Rows of one statement. */
  rowsAtOnceMax: 500,
  /** Branches and tags of one push that become activities. */
  refsPerPushMax: 50,
  /** Commits in the content of a push, and characters of the message of each. */
  commitsPerPushMax: 5,
  activityMessageCharsMax: 1_000,
  /** Characters of a comment in the content of an activity. */
  textCharsMax: 200,
  /** A list ends after this many activities, and its total counts no more. */
  listedMax: 1_000,
  /** The latest activities of a user or an organization among which a list without a day looks for visible ones. */
  searchedMax: 20_000,
  heatmapMs: 366 * DAY_MS,
} as const;
