import { defineActions } from '../../api/access/actions.ts';

/** Pages that links in mails open. The link itself says what it is for. */
export const ACCOUNT_LINK = defineActions('account-link', {
  use: { on: 'open', scopes: [] },
});
