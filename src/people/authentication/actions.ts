import { defineActions } from '../../api/access/actions.ts';

/** Accounts that must change their password may do this, and nothing else. */
export const OWN_PASSWORD = defineActions('password', {
  change: { on: 'self', scopes: ['write:user'] },
});
