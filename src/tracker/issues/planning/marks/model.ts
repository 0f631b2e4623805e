/** What a repository has room for: each kind has a number of pins of its own. */
export interface FreePins {
  /** another issue can be pinned */
  readonly forIssues: boolean;
  /** another pull request can be pinned */
  readonly forPulls: boolean;
}
