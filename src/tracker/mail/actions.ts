import { defineActions } from '../../api/access/actions.ts';

export const MAIL = defineActions('mail', {
  readSettings: { on: 'self', scopes: ['read:user'] },
  changeSettings: { on: 'self', scopes: ['write:user'] },
  /** The address in a mail is the permission. */
  unsubscribe: { on: 'open', scopes: [] },
});
