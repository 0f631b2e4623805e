import { defineActions } from '../../api/access/actions.ts';

/** Pages that links in mails to the addresses of accounts open. */
export const EMAIL_LINK = defineActions('email-link', {
  use: { on: 'open', scopes: [] },
});
