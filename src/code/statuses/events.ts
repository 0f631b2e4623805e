import { defineEvent } from '../../base/events/model.ts';
import type { StatusState } from './model.ts';

export const STATUS_CREATED = defineEvent<{ commit: string; context: string; state: StatusState }>(
  'status.created',
);
