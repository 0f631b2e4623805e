export const PULL_LIMITS = {
  /** How long a request for one pull request waits for a check of its merge that is not done yet. */
  checkAwaitedMs: 2_000,
  /** Checks that run at once, of all callers and of one caller, and callers that wait for one. */
  checksAtOnceMax: 4,
  checksPerCallerMax: 2,
  checkQueueMax: 100,
  checkQueuePerCallerMax: 20,
  checkQueueWaitMs: 30_000,
  /** Open pull requests of one base branch that a job reads at once. */
  pullsCheckedAtOnce: 50,
  /** Pull requests of a deleted fork that one job closes. */
  pullsClosedPerJobMax: 50,
  /** Pull requests of a deleted base whose new base one statement records. */
  pullsRetargetedAtOnce: 500,
  /** How long the checks of one base go on while those of another one wait. */
  checksOfBaseMs: 1_000,
  /** Commits of one push that its entry in the timeline names. */
  pushedCommitsNamedMax: 100,
  /** Merges after a commit among which the one that brought it is searched. */
  mergesSearchedMax: 1_000,
  /** Characters of messages that are read to find the commit from which a rebase made another one. */
  rebasedMessageCharsReadMax: 1024 * 1024,
  /** The topic of a pull request that a push to `refs/for/` makes. */
  topicBytesMax: 255,
  /** Pull requests that the answer to one push names, and branches for which it looks them up. */
  remarksPerPushMax: 10,
  /** Commits that a rebase applies. */
  rebasedCommitsMax: 1_000,
  /** Alternatives in the pattern of a required status. */
  contextAlternativesMax: 100,
  /** A template of a message, and the message of a merge. */
  mergeTemplateBytesMax: 64 * 1024,
  mergeMessageCharsMax: 256 * 1024,
  /** Commits whose authors a squash names. */
  squashedCommitsReadMax: 250,
  /** Commits of the base in which a merge by hand is searched. */
  manualMergeCommitsMax: 1_000,
  /** How often all scheduled merges are tried, besides after events. */
  scheduledTriedEveryMs: 10 * 60_000,
  /** Branches of one repository that are looked up for people who maintain the bases of pull requests. */
  maintainedHeadsReadMax: 1_000,
  /** Reviews of one pull request, requests for reviews, and users and teams that one request names. */
  reviewsPerPullMax: 2_000,
  reviewRequestsPerPullMax: 100,
  /** Requests and last reviews of reviewers that a page of a pull request shows. */
  standingReviewsReadMax: 200,
  reviewersNamedMax: 50,
  /** Comments on lines of one pull request, of one review, and of one request. */
  reviewCommentsPerPullMax: 5_000,
  reviewCommentsPerReviewMax: 200,
  reviewCommentsAtOnceMax: 100,
  /** Lines after the first one that a comment is about. */
  commentedLinesMax: 200,
  commentedPathCharsMax: 4_096,
  reviewCommentCharsMax: 65_536,
  /** The part of the differences that a comment shows; lines at its start are left out. */
  commentedHunkCharsMax: 16_384,
  /** Texts of one review whose references and mentions are followed. */
  reviewTextsReadMax: 100,
  dismissalMessageCharsMax: 65_536,
  /** A file that suggestions change, and the message of the commit. */
  suggestionFileBytesMax: 2 * 1024 * 1024,
  suggestionMessageCharsMax: 65_536,
} as const;
