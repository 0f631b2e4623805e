import { defineActions } from '../../api/access/actions.ts';

/** The page on which people create accounts. */
export const SIGN_UP = defineActions('sign-up', {
  start: { on: 'open', scopes: [] },
});

export const INVITATION = defineActions('invitation', {
  list: { on: 'site', scopes: ['read:admin'] },
  create: { on: 'site', scopes: ['write:admin'], needsProof: true },
  delete: { on: 'site', scopes: ['write:admin'], needsProof: true },
});
