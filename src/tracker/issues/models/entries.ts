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
  | 'comment_ref'
  | 'commit_ref'
  | 'start_tracking'
  | 'stop_tracking'
  | 'cancel_tracking'
  | 'add_time_manual'
  | 'delete_time_manual';

/** What an entry is about, by its kind. All ids are row ids; the row may be gone or hidden by now. */
export interface EntryDetails {
  /** `label` */
  readonly labelId?: number;
  /** `milestone` */
  readonly milestoneId?: number | null;
  readonly oldMilestoneId?: number | null;
  /** `assignees` */
  readonly accountId?: number;
  /** `label`, `assignees` */
  readonly isRemoved?: boolean;
  /** `change_title`, `change_issue_ref` */
  readonly from?: string;
  readonly to?: string;
  /** `issue_ref`, `comment_ref`, `add_dependency`, `remove_dependency`: the other issue */
  readonly otherIssueId?: number;
  /** `comment_ref`: the comment that refers to this issue */
  readonly otherEntryId?: number;
  /** `issue_ref`, `comment_ref`: what the reference asks for */
  readonly refAction?: 'none' | 'closes' | 'reopens';
  /** `commit_ref`: the commit whose message refers to this issue; `close`, `reopen`: the commit that did it */
  readonly commit?: string;
  /** `add_time_manual`, `stop_tracking`, `delete_time_manual` */
  readonly timeId?: number;
}

export interface NewEntry {
  readonly kind: EntryKind;
  /** '' for most kinds */
  readonly body?: string;
  readonly details?: EntryDetails;
}
