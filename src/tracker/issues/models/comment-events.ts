import { defineEvent } from '../../../base/events/model.ts';
import type { Numbered } from './events.ts';

interface OfComment extends Numbered {
  readonly commentId: number;
}

export const ISSUE_COMMENT_CREATED = defineEvent<OfComment>('issue-comment.created');
export const ISSUE_COMMENT_CHANGED = defineEvent<OfComment>('issue-comment.changed');
export const ISSUE_COMMENT_DELETED = defineEvent<OfComment>('issue-comment.deleted');
