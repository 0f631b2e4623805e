import { defineEvent } from '../../base/events/model.ts';

/** `accountId` follows, or no longer follows, `followedId`. An end that a block caused has no event. */
export const ACCOUNT_FOLLOWED = defineEvent<{ accountId: number; followedId: number }>('account.followed');
export const ACCOUNT_UNFOLLOWED = defineEvent<{ accountId: number; followedId: number }>(
  'account.unfollowed',
);
