import { defineEvent } from '../../../../base/events/model.ts';
import type { Numbered } from '../../models/events.ts';

interface OfReaction extends Numbered {
  /** null: on the issue itself */
  readonly commentId: number | null;
  readonly content: string;
}

export const ISSUE_REACTION_CREATED = defineEvent<OfReaction>('issue-reaction.created');
export const ISSUE_REACTION_DELETED = defineEvent<OfReaction>('issue-reaction.deleted');
