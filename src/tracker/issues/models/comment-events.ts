import { defineEvent } from '../../../base/events/model.ts';

interface OfComment {
  readonly issueId: number;
  readonly number: number;
  readonly commentId: number;
}

export const ISSUE_COMMENT_CREATED = defineEvent<OfComment>('issue-comment.created');
export const ISSUE_COMMENT_CHANGED = defineEvent<OfComment>('issue-comment.changed');
export const ISSUE_COMMENT_DELETED = defineEvent<OfComment>('issue-comment.deleted');
