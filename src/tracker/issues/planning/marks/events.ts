import { defineEvent } from '../../../../base/events/model.ts';
import type { Numbered } from '../../models/events.ts';

export const ISSUE_LOCKED = defineEvent<Numbered & { reason: string }>('issue.locked');
export const ISSUE_UNLOCKED = defineEvent<Numbered>('issue.unlocked');
/** `position` is among the pinned issues, from 1. A move of a pinned issue also raises this event. */
export const ISSUE_PINNED = defineEvent<Numbered & { position: number }>('issue.pinned');
export const ISSUE_UNPINNED = defineEvent<Numbered>('issue.unpinned');
