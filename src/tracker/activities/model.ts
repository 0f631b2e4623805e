import type { Oid } from '../../git/format/model.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';
import type { ShownAccount } from '../../people/accounts/model.ts';
import type { Comment } from '../issues/models/comments.ts';

/** What an account did, as the Gitea API names it. */
export const OP_TYPES = [
  'create_repo',
  'rename_repo',
  'star_repo',
  'watch_repo',
  'commit_repo',
  'create_issue',
  'create_pull_request',
  'transfer_repo',
  'push_tag',
  'comment_issue',
  'merge_pull_request',
  'close_issue',
  'reopen_issue',
  'close_pull_request',
  'reopen_pull_request',
  'delete_tag',
  'delete_branch',
  'mirror_sync_push',
  'mirror_sync_create',
  'mirror_sync_delete',
  'approve_pull_request',
  'reject_pull_request',
  'comment_pull',
  'publish_release',
  'pull_review_dismissed',
  'pull_request_ready_for_review',
  'auto_merge_pull_request',
] as const;
export type OpType = (typeof OP_TYPES)[number];

/** Part of a repository that a reader of an activity must be able to read. `any`: one of them suffices. */
export type ActivityUnit = 'any' | 'code' | 'issues' | 'pulls' | 'releases';

/** What an event makes of itself: an activity whose actor, repository and time are those of the event. */
export interface Draft {
  readonly opType: OpType;
  readonly unit: ActivityUnit;
  readonly issueId?: number;
  /** of the comment in the timeline of the issue */
  readonly entryId?: number;
  readonly reviewId?: number;
  readonly lineCommentId?: number;
  readonly refName?: string;
  readonly content?: string;
  /** The content begins with the name of this account, which not everyone may see. */
  readonly formerOwnerId?: number;
  /** The content has the commits of this move. */
  readonly move?: RefMove;
}

/** null: the ref did not exist before, or does not exist after */
export interface RefMove {
  readonly old: Oid | null;
  readonly new: Oid | null;
}

export interface NewActivity extends Omit<Draft, 'move'> {
  readonly actorId: number;
  readonly repositoryId: number;
  readonly ownerId: number;
  /** ms */
  readonly at: number;
}

/** The issue or pull request of an activity, as it is now. */
export interface ActivityIssue {
  readonly number: number;
  readonly title: string;
  readonly isPull: boolean;
}

/** An activity as a viewer sees it. */
export interface Activity {
  readonly id: number;
  readonly opType: OpType;
  readonly actor: ShownAccount;
  readonly repository: PermittedRepository;
  readonly issue: ActivityIssue | null;
  readonly comment: Comment | null;
  /** '' for none */
  readonly refName: string;
  readonly content: string;
  /** ms */
  readonly at: number;
  /** the account whose feed has it */
  readonly feedOf: number;
}

/** Whose activities a feed has. */
export type Feed =
  | { readonly of: 'repository'; readonly id: number }
  /** what the account did */
  | { readonly of: 'performer'; readonly id: number }
  /** what the account did, and what happened in the repositories that it watches */
  | { readonly of: 'reader'; readonly id: number }
  /** the repositories that the account owned at the time */
  | { readonly of: 'owner'; readonly id: number }
  /** those of them that a team has now */
  | { readonly of: 'team'; readonly id: number; readonly organizationId: number };

/** A UTC day, in ms. */
export interface Day {
  readonly from: number;
  /** exclusive */
  readonly to: number;
}

/** What an account did in a quarter of an hour. */
export interface Contributions {
  /** of its beginning, seconds since 1970 */
  readonly seconds: number;
  readonly count: number;
}
