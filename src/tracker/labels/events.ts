import { defineEvent } from '../../base/events/model.ts';

interface Labeled {
  readonly labelId: number;
  readonly name: string;
  /** absent: the label belongs to the event's repository */
  readonly organizationId?: number;
}

export const LABEL_CREATED = defineEvent<Labeled>('label.created');
/** `name` is the new name, `changed` the names of the fields that have changed. */
export const LABEL_CHANGED = defineEvent<Labeled & { changed: readonly string[] }>('label.changed');
export const LABEL_DELETED = defineEvent<Labeled>('label.deleted');
