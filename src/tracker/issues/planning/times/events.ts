import { defineEvent } from '../../../../base/events/model.ts';
import type { Numbered } from '../../models/events.ts';

/** `userId` worked on the issue. */
export const ISSUE_TIME_ADDED = defineEvent<
  Numbered & { readonly timeId: number; readonly userId: number; readonly seconds: number }
>('issue.time-added', { people: ['userId'] });
/** `seconds` is the sum. */
export const ISSUE_TIMES_DELETED = defineEvent<
  Numbered & { readonly timeIds: readonly number[]; readonly seconds: number }
>('issue.times-deleted');
export const ISSUE_STOPWATCH_STARTED = defineEvent<Numbered>('issue.stopwatch-started');
/** A stopwatch that was stopped also adds a time; one that was canceled does not. */
export const ISSUE_STOPWATCH_ENDED = defineEvent<Numbered & { readonly isStopped: boolean }>(
  'issue.stopwatch-ended',
);
