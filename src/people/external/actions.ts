import { defineActions } from '../../api/access/actions.ts';

/** Sign-in at other servers, and the accounts there that belong to an account here. */
export const EXTERNAL = defineActions('external-identity', {
  signIn: { on: 'open', scopes: [] },
  list: { on: 'self', scopes: ['read:user'] },
  change: { on: 'self', scopes: ['write:user'], needsProof: true },
});
