import type { Generated } from 'kysely';

/** Written by `issues/`. Within a repository, a higher id also is a higher number. */
export interface IssuesTable {
  id: Generated<number>;
  repository_id: number;
  /** Issues and pull requests of a repository share one sequence. */
  number: number;
  /** null: the account was deleted */
  author_id: number | null;
  /** author of an imported issue on its source; '' and 0 for others */
  original_author: Generated<string>;
  original_author_id: Generated<number>;
  title: string;
  body: string;
  /** name of a branch or tag; '' for none */
  ref: Generated<string>;
  milestone_id: number | null;
  /** a pull request */
  is_pull: Generated<number>;
  is_closed: Generated<number>;
  closed_at: number | null;
  /** only people who may write can comment */
  is_locked: Generated<number>;
  due_at: number | null;
  /** position among the pinned issues, from 1; 0: not pinned */
  pin_order: Generated<number>;
  comments_count: Generated<number>;
  created_at: number;
  updated_at: number;
}

/**
 * Written by `issues/`. A label, an assignee or a mentioned account of an issue, with the columns that lists filter by. A
 * trigger repeats the state and the time of the issue: see migration 0041.
 */
export interface IssueLinksTable {
  issue_id: number;
  /** id of the label or of the account */
  subject_id: number;
  repository_id: number;
  is_pull: number;
  is_closed: number;
  updated_at: Generated<number>;
  comments_count: Generated<number>;
  due_at: Generated<number | null>;
}

/** Written by `issues/`. What happened to an issue, in order: its comments, and its changes. */
export interface IssueEntriesTable {
  id: Generated<number>;
  issue_id: number;
  repository_id: number;
  /** null: the account was deleted */
  author_id: number | null;
  /** author of an imported comment on its source; '' and 0 for others */
  original_author: Generated<string>;
  original_author_id: Generated<number>;
  /** see `tracker/issues/models/entries.ts` */
  kind: string;
  /** text of a comment */
  body: string;
  /** JSON, by kind */
  details: string;
  created_at: number;
  updated_at: number;
}

/** Written by `issues/`. What users have chosen for an issue; without a row, it depends on what they do. */
export interface IssueSubscriptionsTable {
  issue_id: number;
  account_id: number;
  /** 0: no notifications, not even as the author */
  is_watching: number;
  created_at: number;
}

/** Written by `issues/`. An issue that another issue blocks. */
export interface IssueDependenciesTable {
  issue_id: number;
  depends_on_id: number;
}

/** Written by `issues/`. Which texts and commits refer to an issue, so that each has one entry in its timeline. */
export interface IssueReferencesTable {
  issue_id: number;
  /** see `tracker/issues/discussion/references/store.ts` */
  source: string;
}

/**
 * Written by `issues/`. Words of issues, of comments and reviews, and of comments on lines, by the ids of issues, of entries,
 * and of `pull_review_comments`. On SQLite, each of the three is a virtual table whose row ids are the ids of the texts: see
 * migrations 0055 and 0058.
 */
export interface IssueTextsTable {
  id: number;
  repository_id: number;
}

/** Written by `issues/`. */
export interface IssueReactionsTable {
  id: Generated<number>;
  issue_id: number;
  /** the comment; null: the issue itself */
  entry_id: number | null;
  account_id: number;
  /** see `tracker/issues/models/reactions.ts` */
  content: string;
  created_at: number;
}

/** Written by `issues/`. A file of an issue or a comment: a row from before its bytes arrive until they are deleted. */
export interface IssueAttachmentsTable {
  id: Generated<number>;
  /** part of its address, and of the key of its object */
  uuid: string;
  /** null: the bytes are arriving, or the issue or the comment was deleted */
  issue_id: number | null;
  /** of the issue */
  repository_id: number | null;
  /** the comment; null: the issue itself */
  entry_id: number | null;
  /** who uploaded it; null: the account was deleted */
  account_id: number | null;
  name: string;
  /** media type, found in the content */
  type: string;
  /** of the content, hex */
  sha256: string;
  bytes: number;
  downloads: number;
  /** when the file is deleted if it has no issue then */
  collect_at: number;
  /** The file is being deleted, for good. */
  is_doomed: number;
  created_at: number;
}

/** Written by `issues/`. Time that a user worked on an issue. */
export interface IssueTimesTable {
  id: Generated<number>;
  issue_id: number;
  repository_id: number;
  /** null: the account was deleted */
  account_id: number | null;
  seconds: number;
  created_at: number;
}

/** Written by `issues/`. A stopwatch that is running: one for each user at most. */
export interface IssueStopwatchesTable {
  account_id: number;
  issue_id: number;
  started_at: number;
}

/** Written by `issues/`. An issue of a repository that is being imported, and that is not there yet. */
export interface StagedIssuesTable {
  /** of `repository_intents` */
  repository_id: number;
  number: number;
  /** a pull request */
  is_pull: Generated<number>;
  author_id: number | null;
  original_author: string;
  original_author_id: number;
  title: string;
  body: string;
  ref: string;
  /** id of the milestone on the source; null for none */
  milestone_key: number | null;
  is_closed: number;
  closed_at: number | null;
  is_locked: number;
  due_at: number | null;
  created_at: number;
  updated_at: number;
}

/** Written by `issues/`. A label of a staged issue, by its id on the source. */
export interface StagedIssueLabelsTable {
  repository_id: number;
  number: number;
  label_key: number;
}

/** Written by `issues/`. An assignee of a staged issue. */
export interface StagedIssueAssigneesTable {
  repository_id: number;
  number: number;
  account_id: number;
}

/** Written by `issues/`. A comment of a staged issue. */
export interface StagedCommentsTable {
  repository_id: number;
  /** id of the comment on the source, by which comments are ordered */
  comment_key: number;
  /** of its issue */
  number: number;
  author_id: number | null;
  original_author: string;
  original_author_id: number;
  body: string;
  created_at: number;
  updated_at: number;
}

export interface IssueTables {
  issues: IssuesTable;
  issue_labels: IssueLinksTable;
  issue_assignees: IssueLinksTable;
  issue_mentions: IssueLinksTable;
  issue_entries: IssueEntriesTable;
  issue_reactions: IssueReactionsTable;
  issue_attachments: IssueAttachmentsTable;
  issue_subscriptions: IssueSubscriptionsTable;
  issue_dependencies: IssueDependenciesTable;
  issue_times: IssueTimesTable;
  issue_stopwatches: IssueStopwatchesTable;
  issue_references: IssueReferencesTable;
  issue_texts: IssueTextsTable;
  comment_texts: IssueTextsTable;
  line_texts: IssueTextsTable;
  staged_issues: StagedIssuesTable;
  staged_issue_labels: StagedIssueLabelsTable;
  staged_issue_assignees: StagedIssueAssigneesTable;
  staged_comments: StagedCommentsTable;
}
