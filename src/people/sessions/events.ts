import { defineEvent } from '../../base/events/model.ts';

export const SESSION_STARTED = defineEvent<{
  accountId: number;
  sessionId: number;
  proofs: readonly string[];
}>('session.started', { audit: { target: 'session', id: 'sessionId' } });
export const SESSION_ENDED = defineEvent<{ accountId: number; sessionId: number }>('session.ended', {
  audit: { target: 'session', id: 'sessionId' },
});
/** All sessions of an account ended at once, except one that may go on. */
export const SESSIONS_ENDED = defineEvent<{ accountId: number; exceptId: number | null }>(
  'session.all-ended',
  { audit: { target: 'account', id: 'accountId' } },
);
