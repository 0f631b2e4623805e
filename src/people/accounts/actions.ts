import { defineActions } from '../../api/access/actions.ts';

export const ACCOUNT = defineActions('account', {
  read: { on: 'open', scopes: ['read:user'] },
  search: { on: 'open', scopes: ['read:user'] },
  readSelf: { on: 'self', scopes: ['read:user'] },
  changeSelf: { on: 'self', scopes: ['write:user'] },
  changeEmails: { on: 'self', scopes: ['write:user'], needsProof: true },
  deleteSelf: { on: 'self', scopes: ['write:user'], needsProof: true },
});

/** Administration of accounts. */
export const SITE = defineActions('site', {
  listAccounts: { on: 'site', scopes: ['read:admin'] },
  createAccount: { on: 'site', scopes: ['write:admin'], needsProof: true },
  editAccount: { on: 'site', scopes: ['write:admin'], needsProof: true },
  deleteAccount: { on: 'site', scopes: ['write:admin'], needsProof: true },
});
