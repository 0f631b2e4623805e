import { defineActions } from '../../api/access/actions.ts';

/** The account's own second factors. Administrators use the actions on accounts. */
export const SECOND_FACTOR = defineActions('second-factor', {
  read: { on: 'self', scopes: ['read:user'] },
  change: { on: 'self', scopes: ['write:user'], needsProof: true },
});
