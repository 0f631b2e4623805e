import { defineActions } from '../../api/access/actions.ts';

/** Accounts that must change their password may do this, and nothing else. */
export const OWN_PASSWORD = defineActions('password', {
  change: { on: 'self', scopes: ['write:user'] },
  changeOnPage: { on: 'self', scopes: ['write:user'], needsProof: true },
});

/** Pages on which a person signs in. */
export const SIGN_IN = defineActions('sign-in', {
  start: { on: 'open', scopes: [] },
  confirm: { on: 'self', scopes: ['write:user'] },
});
