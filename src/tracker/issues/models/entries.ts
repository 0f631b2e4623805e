/**
 * Kinds of entries of a timeline, as the wire names them. A comment is an entry that people write; all others record a
 * change.
 */
export type EntryKind =
  | 'comment'
  | 'close'
  | 'reopen'
  | 'label'
  | 'milestone'
  | 'assignees'
  | 'change_title'
  | 'change_issue_ref'
  | 'added_deadline'
  | 'modified_deadline'
  | 'removed_deadline'
  | 'lock'
  | 'unlock'
  | 'pin'
  | 'unpin'
  | 'add_dependency'
  | 'remove_dependency'
  | 'issue_ref'
  | 'pull_ref'
  | 'comment_ref'
  | 'commit_ref'
  | 'start_tracking'
  | 'stop_tracking'
  | 'cancel_tracking'
  | 'add_time_manual'
  | 'delete_time_manual'
  | 'pull_push'
  | 'merge_pull'
  | 'change_target_branch'
  | 'delete_branch'
  | 'review'
  | 'review_request'
  | 'dismiss_review'
  | 'pull_scheduled_merge'
  | 'pull_cancel_scheduled_merge';

/** What an entry is about, by its kind. All ids are row ids; the row may be gone or hidden by now. */
export interface EntryDetails {
  /** `label` */
  readonly labelId?: number;
  /** `milestone` */
  readonly milestoneId?: number | null;
  readonly oldMilestoneId?: number | null;
  /** `assignees`; `review_request`: the user who was asked */
  readonly accountId?: number;
  /** `review_request`: the team that was asked */
  readonly teamId?: number;
  /** `label`, `assignees`, `review_request` */
  readonly isRemoved?: boolean;
  /** `change_title`, `change_issue_ref`, `change_target_branch` */
  readonly from?: string;
  readonly to?: string;
  /** `issue_ref`, `pull_ref`, `comment_ref`, `add_dependency`, `remove_dependency`: the other issue */
  readonly otherIssueId?: number;
  /** `comment_ref`: the comment that refers to this issue */
  readonly otherEntryId?: number;
  /** `issue_ref`, `pull_ref`, `comment_ref`: what the reference asks for */
  readonly refAction?: 'none' | 'closes' | 'reopens';
  /** `commit_ref`: the commit whose message refers to this issue; `close`, `reopen`: the commit that did it */
  readonly commit?: string;
  /** `add_time_manual`, `stop_tracking`, `delete_time_manual` */
  readonly timeId?: number;
  /** `pull_push`: heads of the pull request */
  readonly before?: string;
  readonly after?: string;
  /** `pull_push`: the new head does not have the old one in its history */
  readonly isForced?: boolean;
  /** `pull_push`: ids of new commits, the oldest first, in a number that `pulls/` bounds */
  readonly commits?: readonly string[];
  /** `merge_pull`: the commit of the base branch that has the changes */
  readonly sha?: string;
  /** `delete_branch` */
  readonly branch?: string;
  /** `review`, `review_request`, `dismiss_review` */
  readonly reviewId?: number;
  /** `review`: what it says, as the table of reviews has it */
  readonly state?: string;
}

export interface NewEntry {
  readonly kind: EntryKind;
  /** '' for most kinds; `review`: its text; `dismiss_review`: the reason */
  readonly body?: string;
  readonly details?: EntryDetails;
}
