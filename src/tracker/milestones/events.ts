import { defineEvent } from '../../base/events/model.ts';

interface Marked {
  readonly milestoneId: number;
  readonly title: string;
}

export const MILESTONE_CREATED = defineEvent<Marked>('milestone.created');
/** `title` is the new title, `changed` the names of the fields that have changed. */
export const MILESTONE_CHANGED = defineEvent<Marked & { changed: readonly string[] }>('milestone.changed');
export const MILESTONE_DELETED = defineEvent<Marked>('milestone.deleted');
