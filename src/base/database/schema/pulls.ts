import type { Generated } from 'kysely';

/** Written by `pulls/`. What a pull request has besides the columns of its issue. */
export interface PullsTable {
  issue_id: number;
  /** of the base */
  repository_id: number;
  number: number;
  /** repeats the state of the issue: see migration 0054 */
  is_open: number;
  /** `agit`: a push to `refs/for/` made it, so no branch has the head */
  flow: 'branch' | 'agit';
  base_branch: string;
  /** null: the repository was deleted */
  head_repository_id: number | null;
  /** for the flow `agit`, the name of the user and the topic */
  head_branch: string;
  /** The branch of the head exists. */
  has_head_branch: number;
  /** what `refs/pull/N/head` points to */
  head_sha: string;
  allows_maintainer_edit: Generated<number>;
  /** who allows it; it has no effect unless this account may write the head */
  edits_allowed_by: number | null;
  /** the commit from which the differences start; null: not known yet, or the two have no commit in common */
  merge_base: string | null;
  /** the commits that were merged to fill the columns below; null: none yet */
  checked_base: string | null;
  checked_head: string | null;
  /** of that merge; see `tracker/pulls/model.ts` */
  outcome: string | null;
  /** JSON: paths of files */
  conflicts: Generated<string>;
  additions: Generated<number>;
  deletions: Generated<number>;
  changed_files: Generated<number>;
  /** comments on lines, of submitted reviews */
  review_comments: Generated<number>;
  merged_at: number | null;
  /** null: not merged, or the account was deleted */
  merged_by: number | null;
  /** the commit of the base branch that has the changes */
  merged_sha: string | null;
}

/** Written by `pulls/`. A review, or the request for one. */
export interface PullReviewsTable {
  id: Generated<number>;
  issue_id: number;
  repository_id: number;
  /** null: a request to a team, or the account was deleted */
  account_id: number | null;
  /** of a request to a team */
  team_id: number | null;
  /** author of an imported review on its source; '' and 0 for others */
  original_author: Generated<string>;
  original_author_id: Generated<number>;
  /** see `tracker/pulls/reviews/model.ts` */
  state: string;
  /** of its entry in the timeline; null for a pending review, and for a request */
  entry_id: number | null;
  body: Generated<string>;
  /** the commit that was reviewed; '' for a request */
  commit_sha: Generated<string>;
  /** The reviewer could approve when it was submitted, and has not approved or rejected again since. */
  is_official: Generated<number>;
  /** Another commit is the head now. */
  is_stale: Generated<number>;
  is_dismissed: Generated<number>;
  comments_count: Generated<number>;
  created_at: number;
  updated_at: number;
}

/** Written by `pulls/`. A comment on a line. */
export interface PullReviewCommentsTable {
  id: Generated<number>;
  review_id: number;
  issue_id: number;
  account_id: number | null;
  /** null: not resolved */
  resolver_id: number | null;
  /** in `commit_sha`, on either side */
  path: string;
  /** The line is one of the commit from which the differences start. */
  is_old_side: number;
  /** of `original_sha`, from 1 */
  line: number;
  /** of `commit_sha`; 0: a later push removed the line */
  current_line: number;
  /** lines after `line` that the comment is about, too */
  extra_lines: Generated<number>;
  /** the head for which the comment was written, and the head to which `current_line` belongs */
  original_sha: string;
  commit_sha: string;
  hunk: string;
  body: string;
  created_at: number;
  updated_at: number;
}

/** Written by `pulls/`. A merge that waits until the protection of the base allows it. */
export interface PullScheduledMergesTable {
  issue_id: number;
  /** who wants it */
  account_id: number;
  /** JSON: see `tracker/pulls/store/scheduled.ts` */
  wanted: string;
  created_at: number;
}

/** Written by `pulls/`. A pull request of a repository that is being imported; its issue is in `staged_issues`. */
export interface StagedPullsTable {
  repository_id: number;
  number: number;
  flow: 'branch' | 'agit';
  base_branch: string;
  /** The head is in the same repository. */
  is_own_head: number;
  head_branch: string;
  head_sha: string;
  allows_maintainer_edit: number;
  merge_base: string | null;
  additions: number;
  deletions: number;
  changed_files: number;
  merged_at: number | null;
  merged_by: number | null;
  merged_sha: string | null;
}

/** Written by `pulls/`. A request for a review of a staged pull request. */
export interface StagedReviewRequestsTable {
  repository_id: number;
  number: number;
  account_id: number;
  is_official: number;
  created_at: number;
}

/** Written by `pulls/`. A review of a staged pull request. */
export interface StagedReviewsTable {
  repository_id: number;
  /** id on the source */
  review_key: number;
  /** of its pull request */
  number: number;
  author_id: number | null;
  original_author: string;
  original_author_id: number;
  state: string;
  body: string;
  commit_sha: string;
  is_official: number;
  is_stale: number;
  is_dismissed: number;
  created_at: number;
  updated_at: number;
  /** id in `pull_reviews`; null until the repository is published */
  id_here: Generated<number | null>;
}

/** Written by `pulls/`. A comment on lines of a staged review. */
export interface StagedReviewCommentsTable {
  repository_id: number;
  /** id on the source */
  comment_key: number;
  review_key: number;
  author_id: number | null;
  resolver_id: number | null;
  path: string;
  is_old_side: number;
  line: number;
  current_line: number;
  extra_lines: number;
  original_sha: string;
  commit_sha: string;
  hunk: string;
  body: string;
  created_at: number;
  updated_at: number;
}

export interface PullTables {
  pulls: PullsTable;
  pull_reviews: PullReviewsTable;
  pull_review_comments: PullReviewCommentsTable;
  pull_scheduled_merges: PullScheduledMergesTable;
  staged_pulls: StagedPullsTable;
  staged_review_requests: StagedReviewRequestsTable;
  staged_reviews: StagedReviewsTable;
  staged_review_comments: StagedReviewCommentsTable;
}
