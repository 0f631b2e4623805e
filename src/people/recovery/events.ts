import { defineEvent } from '../../base/events/model.ts';

/** An administrator made a link that gives an account a new password. */
export const RESET_LINK_CREATED = defineEvent<{ accountId: number }>('account.reset-link-created', {
  audit: { target: 'account', id: 'accountId' },
});
