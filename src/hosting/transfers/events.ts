import { defineEvent } from '../../base/events/model.ts';

/** A transfer became pending: the recipient has to accept it. */
export const REPOSITORY_TRANSFER_ASKED = defineEvent<{ recipientId: number }>('repository.transfer-asked', {
  people: ['recipientId'],
  audit: { target: 'repository' },
});

/** A transfer was rejected, or one of its two accounts was deleted. */
export const REPOSITORY_TRANSFER_ENDED = defineEvent<Record<string, never>>('repository.transfer-ended', {
  audit: { target: 'repository' },
});

export const REPOSITORY_TRANSFERRED = defineEvent<{ from: string; to: string; fromId: number; toId: number }>(
  'repository.transferred',
  { people: ['fromId', 'toId'], audit: { target: 'repository' } },
);
